type Cell = string | number | boolean | null | undefined

/** Beginnings that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Records as comma-separated values by RFC 4180, with a line of names. No text of a record becomes a formula. */
export function csvOf<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
): string {
  const names = Object.keys(columns)
  const lines = rows.map((row) => names.map((name) => cell(columns[name]!(row))))
  return [names, ...lines].map((line) => line.join(',')).join('\r\n') + '\r\n'
}
