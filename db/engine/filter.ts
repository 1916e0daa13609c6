export type Filter<T> = { [Key in keyof T]?: T[Key] | undefined }

/** MikroORM would read an undefined condition as "is null". */
export function given<T>(filter: Filter<T>): Partial<T> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Partial<T>
}

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

export const ofSymbols = (symbol: string | undefined): { symbol?: string | { $like: string } } => {
  if (symbol === undefined) return {}
  return { symbol: symbol.endsWith('*') ? { $like: `${symbol.slice(0, -1)}%` } : symbol }
}
