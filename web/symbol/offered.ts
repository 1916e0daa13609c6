import type { ListedAsset } from '#client/types.ts'

const MOST_OFFERED = 20

export interface Offered {
  symbol: string
  /** Empty if unknown. */
  name: string
  isHeld: boolean
}

/** Suggestions for a text, held symbols first. */
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
