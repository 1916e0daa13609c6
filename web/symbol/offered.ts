import type { ListedAsset } from '#client/types.ts'

/** As many symbols are offered. */
const MOST_OFFERED = 20

/** A symbol that may be meant by what is typed. */
export interface Offered {
  symbol: string
  /** Empty where it is not known. */
  name: string
  isHeld: boolean
}

/** What is offered for a text: what is held and begins so, or is found by it, before the rest that is found. */
export function offered(
  typed: string,
  held: readonly string[],
  found: readonly Pick<ListedAsset, 'symbol' | 'name'>[],
): Offered[] {
  const text = typed.trim().toUpperCase()
  const names = new Map(found.map(({ symbol, name }) => [symbol, name]))
  const own = new Set(held.filter((symbol) => symbol.startsWith(text) || names.has(symbol)))
  return [...new Set([...own, ...names.keys()])]
    .slice(0, MOST_OFFERED)
    .map((symbol) => ({ symbol, name: names.get(symbol) ?? '', isHeld: own.has(symbol) }))
}
