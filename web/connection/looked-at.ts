/**
 * Symbols on the pages of this browser, besides held and waiting ones: the tab that reads the stream subscribes to
 * those of all tabs.
 */

/** Number of symbols that one stream follows. */
const MOST_LOOKED_AT = 50

const own = new Map<string, number>()
const ofTabs = new Map<string, readonly string[]>()
const listeners = new Set<() => void>()

const tell = (): void => {
  for (const listener of listeners) listener()
}

/** Follows symbols until the result is called. */
export function lookAt(symbols: readonly string[]): () => void {
  for (const symbol of symbols) own.set(symbol, (own.get(symbol) ?? 0) + 1)
  tell()
  return () => {
    for (const symbol of symbols) {
      const left = (own.get(symbol) ?? 1) - 1
      if (left > 0) own.set(symbol, left)
      else own.delete(symbol)
    }
    tell()
  }
}

/** Subscribes to changes of the followed symbols in any tab. */
export const onLookedAt = (listener: () => void): void => void listeners.add(listener)

export const ownSymbols = (): string[] => [...own.keys()].toSorted()

/** Stores the symbols of another tab; none once it is closed. */
export function noteTab(tab: string, symbols: readonly string[]): void {
  if ((ofTabs.get(tab) ?? []).join() === symbols.join()) return
  if (symbols.length > 0) ofTabs.set(tab, symbols)
  else ofTabs.delete(tab)
  tell()
}

/** Symbols of all tabs, this one's first. */
export const allSymbols = (): string[] =>
  [...new Set([...ownSymbols(), ...[...ofTabs.values()].flat()])].slice(0, MOST_LOOKED_AT)
