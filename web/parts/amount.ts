/** A number as the application itself writes it, with commas between thousands. */
const GROUPED = /^[1-9]\d*(,\d{3})+(\.\d+)?$/
/** A number, or the beginning of one that is being typed. */
const BEGUN = /^-?\d*(\.\d*)?$/

/** A typed number in plain digits: "1,000.5" is 1000.5. Other text stays, for the service to judge. */
export function plainNumber(text: string): string {
  const trimmed = text.trim()
  return GROUPED.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed
}

/** A number where it is written as one without losing a digit; otherwise the text, for the service to judge. */
export function amount(text: string): number | string {
  const plain = plainNumber(text).replace(/\.$/, '')
  return /^(\d+(\.\d+)?|\.\d+)$/.test(plain) && plain.length <= 15 ? Number(plain) : plain
}

/** What is wrong with a field for a number, whatever it is for; undefined for nothing, and for a field without a text. */
export const numberFault = (text: unknown): string | undefined =>
  typeof text !== 'string' || BEGUN.test(plainNumber(text)) ? undefined : 'Enter a number, such as 1000'
