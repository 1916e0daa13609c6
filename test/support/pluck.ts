/* oxlint-disable typescript/no-explicit-any -- tests look into answers freely */

/** One field of each: of `[{ status: 200 }, { status: 409 }]` the list `[200, 409]`. */
export function pluck<Row, Field extends keyof Row>(rows: readonly Row[], field: Field): Row[Field][]
export function pluck(rows: any, field: string): any[]
export function pluck(rows: readonly any[], field: PropertyKey): any[] {
  return rows.map((row) => row[field])
}

/** Some fields of each, in the order in which they are named, as rows of a table. */
export const rowsOf = (list: readonly any[], ...fields: string[]): any[][] =>
  list.map((one) => fields.map((field) => one[field]))

export const sorted = (texts: readonly string[]): string[] => texts.toSorted()
