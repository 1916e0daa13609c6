/**
 * The symbols that the pages of this browser look at, beside those that are held and wait: each tab tells its own, and the tab that
 * reads the stream asks for those of all.
 */

/** As many as one stream follows. */
const MOST_LOOKED_AT = 50

/** How often each is looked at in this tab. */
const own = new Map<string, number>()
const ofTabs = new Map<string, readonly string[]>()
const listeners = new Set<() => void>()

const tell = (): void => {
  for (const listener of listeners) listener()
}

/** Looks at symbols until the result is called. */
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

/** Notified when what is looked at changes, here or in another tab. */
export const onLookedAt = (listener: () => void): void => void listeners.add(listener)

/** What this tab looks at. */
export const ownSymbols = (): string[] => [...own.keys()].toSorted()

/** Another tab looks at these now; at none once it is closed. */
export function noteTab(tab: string, symbols: readonly string[]): void {
  if ((ofTabs.get(tab) ?? []).join() === symbols.join()) return
  if (symbols.length > 0) ofTabs.set(tab, symbols)
  else ofTabs.delete(tab)
  tell()
}

/** What all tabs look at, this one's first. */
export const allSymbols = (): string[] =>
  [...new Set([...ownSymbols(), ...[...ofTabs.values()].flat()])].slice(0, MOST_LOOKED_AT)
