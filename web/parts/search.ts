export interface ListSearch {
  account?: string
  symbol?: string
  /** Local days, YYYY-MM-DD, both included. */
  from?: string
  to?: string
  /** From 1, which the address omits. */
  page?: number
}

/** Text parameters of an address; other values are omitted. */
export function textOf<Name extends string>(
  raw: Record<string, unknown>,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = raw[name]
    // The router parses "1" of an address as a number.
    if (typeof value === 'string' ? value !== '' : typeof value === 'number') texts[name] = String(value)
  }
  return texts
}

/** A parameter with one of these words; empty for another value. */
export function oneOf<Name extends string, Word extends string>(
  raw: Record<string, unknown>,
  name: Name,
  words: readonly Word[],
): Partial<Record<Name, Word>> {
  const found = words.find((word) => word === raw[name])
  return found === undefined ? {} : ({ [name]: found } as Record<Name, Word>)
}

export const pageOf = ({ page }: Record<string, unknown>): { page?: number } =>
  typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {}

/** UTC instant at which a local day begins; a malformed day is left for the service to refuse. */
export function instantOf(day: string): string {
  const at = new Date(`${day}T00:00`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

export function nextDay(day: string): string {
  const at = new Date(`${day}T12:00Z`)
  return Number.isNaN(at.getTime()) ? day : new Date(at.getTime() + 86_400_000).toISOString().slice(0, 10)
}
