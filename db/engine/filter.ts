/** The conditions of a filter; each one left out or undefined does not restrict. */
export type Filter<T> = { [Key in keyof T]?: T[Key] | undefined }

/** The conditions that are given. Handed on as it is, an undefined one would be read as "is null". */
export function given<T>(filter: Filter<T>): Partial<T> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** The condition that an instant lies in a period, as far as it is bounded: from `from` on, and before `to`. */
export const within = <Column extends string>(
  column: Column,
  from: string | undefined,
  to: string | undefined,
): { [Key in Column]?: { $gte?: string; $lt?: string } } =>
  from === undefined && to === undefined
    ? {}
    : ({ [column]: { ...(from && { $gte: from }), ...(to && { $lt: to }) } } as {
        [Key in Column]?: { $gte?: string; $lt?: string }
      })

/** The condition of a symbol; of all symbols that begin so where a star stands behind it. */
export const ofSymbols = (symbol: string | undefined): { symbol?: string | { $like: string } } => {
  if (symbol === undefined) return {}
  return { symbol: symbol.endsWith('*') ? { $like: `${symbol.slice(0, -1)}%` } : symbol }
}
