/** Number with commas between thousands. */
const GROUPED = /^[1-9]\d*(,\d{3})+(\.\d+)?$/
/** Number, or its beginning while it is typed. */
const BEGUN = /^-?\d*(\.\d*)?$/

/** A typed number in plain digits: "1,000.5" is 1000.5. */
export function plainNumber(text: string): string {
  const trimmed = text.trim()
  return GROUPED.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed
}

/** Number where no digit is lost; otherwise the text, for the service to check. */
export function amount(text: string): number | string {
  const plain = plainNumber(text).replace(/\.$/, '')
  return /^(\d+(\.\d+)?|\.\d+)$/.test(plain) && plain.length <= 15 ? Number(plain) : plain
}

/** Fault of a numeric field; undefined without one, and for a value that is no text. */
export const numberFault = (text: unknown): string | undefined =>
  typeof text !== 'string' || BEGUN.test(plainNumber(text)) ? undefined : 'Enter a number, such as 1000'
