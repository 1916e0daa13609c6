/** Distinct symbols in a text, with any separator. */
export const symbolsOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
]

/** Typed beginning of symbols; the service expects a star after a beginning, and none after a whole symbol. */
export const typedOf = (filter: string | undefined): string => filter?.replace(/\*$/, '') ?? ''

/** Filter for a typed text; empty for none. */
export const beginningWith = (typed: string): string => {
  const text = typedOf(typed.trim()).toUpperCase()
  return text === '' ? '' : `${text}*`
}

/** Whether a filtered list shows a symbol. */
export const fitsSymbol = (filter: string | undefined, symbol: string): boolean =>
  filter === undefined || (filter.endsWith('*') ? symbol.startsWith(typedOf(filter)) : symbol === filter)
