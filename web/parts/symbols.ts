/** The symbols in a text, however they are separated, each once. */
export const symbolsOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
]

/** The filter of a list as it is typed: the beginning of symbols. The service takes a star behind that, and one symbol without. */
export const typedOf = (filter: string | undefined): string => filter?.replace(/\*$/, '') ?? ''

/** The filter for what was typed; empty for nothing. */
export const beginningWith = (typed: string): string => {
  const text = typedOf(typed.trim()).toUpperCase()
  return text === '' ? '' : `${text}*`
}

/** Whether a list that is filtered so shows a symbol. */
export const fitsSymbol = (filter: string | undefined, symbol: string): boolean =>
  filter === undefined || (filter.endsWith('*') ? symbol.startsWith(typedOf(filter)) : symbol === filter)
