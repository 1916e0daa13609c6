/** Ids, codes or hashes as the text of an array parameter: a list would be spread over the statement. */
export const asArray = (values: readonly string[]): string => `{${values.join(',')}}`
