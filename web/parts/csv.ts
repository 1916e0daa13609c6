type Cell = string | number | boolean | null | undefined

/** First characters that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
/** Fields of a record that fit a cell. */
type CellName<Row> = { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row]

/**
 * Records as comma-separated values by RFC 4180, with a line of names. No text becomes a formula.
 *
 * @param fields names separated by a space, in the order of the columns
 */
export function csvOf<Row, Fields extends string>(
  rows: readonly Row[],
  fields: Words<Fields> extends CellName<Row> ? Fields : never,
): string {
  const names = fields.split(' ')
  const lines = rows.map((row) => names.map((name) => cell(row[name as keyof Row] as Cell)))
  return [names, ...lines].map((line) => line.join(',')).join('\r\n') + '\r\n'
}
