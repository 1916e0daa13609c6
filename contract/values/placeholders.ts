import { withoutTokens } from './secrets.ts'

/** Of TradingView, n8n, Zapier, JavaScript, shells, Liquid, Jinja, ERB, Python; unclosed braces count too. */
const PLACEHOLDER = /\{\{[^{}]*\}{0,2}|\$\{[^{}]*\}?|\{%[^{}]*\}?|<%[^<>]*>?|\{[A-Za-z_][\w.]{0,60}\}/

/** The placeholders that TradingView fills in, some of them only where an alert has the value. */
const OF_STRATEGIES = /^\{\{\s*strategy\./
const OF_PLOTS = /^\{\{\s*plot/
const OF_TRADINGVIEW =
  /^\{\{\s*(?:ticker|exchange|interval|open|high|low|close|volume|time|timenow|syminfo\.\w+)\s*\}/

const SHOWN = /^[\w .$%<>={}()[\]"'-]{1,60}$/

export const placeholderIn = (text: string): string | null => PLACEHOLDER.exec(text)?.[0] ?? null

export function notFilledIn(placeholder: string): string {
  const isShown = SHOWN.test(placeholder) && withoutTokens(placeholder) === placeholder
  const shown = isShown ? placeholder : 'a placeholder'
  if (OF_STRATEGIES.test(placeholder))
    return `TradingView did not fill in ${shown}: that happens when the alert is on an indicator, or on an alert() call. Make the alert on the strategy, for its order fills, or write the value itself`
  if (OF_PLOTS.test(placeholder))
    return `TradingView did not fill in ${shown}: that happens when the indicator of the alert has no such plot. Write its number or its title as the indicator has it`
  if (OF_TRADINGVIEW.test(placeholder))
    return `TradingView did not fill in ${shown}: that happens in the text of an alert() call, where the script has to put the value in itself, and in what no alert sends. Write it into the message of the alert, or write the value itself`
  return `the sender did not fill in ${shown}: that happens when its name is misspelt, it has no value there, or the text is taken literally instead of as a template. Mend the sender, or write the value itself`
}

/** Paths of texts with placeholders, names included; the depth is bounded before. */
export function* placeholdersWithin(
  value: unknown,
  path: (string | number)[],
): Generator<{ path: (string | number)[]; placeholder: string }> {
  if (typeof value === 'string') {
    const placeholder = placeholderIn(value)
    if (placeholder !== null) yield { path, placeholder }
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const placeholder = Array.isArray(value) ? null : placeholderIn(key)
    if (placeholder !== null) yield { path, placeholder }
    yield* placeholdersWithin(inner, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

/** In small letters; "[object Object]" of JavaScript too. */
const WORDS_FOR_NOTHING: ReadonlySet<string> = new Set(
  'null undefined nan none nil na infinity object'.split(' '),
)
/** Blanks, punctuation and signs, but not pictures such as emoji. */
const BETWEEN_WORDS = /[\p{Z}\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cf}]+/u

/** Whether a text that is to identify something holds nothing but blanks, punctuation and words for nothing. */
export const namesNothing = (text: string): boolean =>
  text
    .toLowerCase()
    .replace('n/a', 'na')
    .split(BETWEEN_WORDS)
    .every((word) => word === '' || WORDS_FOR_NOTHING.has(word))
