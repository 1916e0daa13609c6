import { boundsFault } from './json-bounds.ts'

const WITHIN_TEXT = /(dt[kh]?)_[0-9A-Za-z]{8,}/g

export const withoutTokens = (text: string): string => text.replaceAll(WITHIN_TEXT, '$1_[redacted]')

export const REDACTED = '[redacted]'

export type Place = 'message' | 'notes'

export const NOTES = 'metadata'

const SECRET_PART =
  /token|secret|passw|passphrase|passcode|pwd|credential|authorization|(?:api|access|private|signing|shared|encryption|master|licen[sc]e|auth|webhook|session)key|bearer|jwt|signature|hmac|cookie|sessionid|seedphrase/
const SECRET_WORD: ReadonlySet<string> = new Set(['auth', 'sig', 'pw', 'psk', 'otp', 'totp'])
const SECRET_WHOLE: ReadonlySet<string> = new Set(['pass', 'license', 'licence', 'licenseid', 'licenceid'])
const PIN: ReadonlySet<string> = new Set(['pin', 'pincode'])
/** Every secret name contains one of these. */
const HINT = /tok|sec|pas|pwd|cred|auth|key|bea|jwt|sig|hmac|coo|sess|seed|lic|pin|pw|psk|otp/
const ASCII = /^[ -~]*$/
const NO_SECRET = 'idempotencykey'

/** In notes `key` and `pin` are no secrets (`{"key": "RSI", "value": 30}`, a pin bar). */
export function isSecretName(name: string, place: Place = 'message'): boolean {
  const plain = ASCII.test(name) ? name : name.normalize('NFKC')
  const lower = plain.toLowerCase()
  if (!HINT.test(lower)) return false
  if (SECRET_PART.test(lower)) return true
  const whole = lower.replaceAll(/[^a-z0-9]+/g, '')
  if (SECRET_PART.test(whole) || SECRET_WHOLE.has(whole)) return true
  const words = plain
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  if (words.some((word) => SECRET_WORD.has(word))) return true
  return place === 'message' && whole !== NO_SECRET && (words.at(-1) === 'key' || PIN.has(whole))
}

const isHarmless = (value: unknown): boolean => value === null || typeof value === 'boolean'

/** For JSON of a bounded depth; keeps null and booleans. */
export function withoutSecretsIn(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return withoutSecretsInText(value, place)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner) => withoutSecretsIn(inner, place))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      withoutSecretsInText(name, place),
      isSecretName(name, place) && !isHarmless(inner)
        ? REDACTED
        : withoutSecretsIn(inner, name === NOTES ? 'notes' : place),
    ]),
  )
}

/** A quick test for a secret name, possibly escaped, or form. */
const MAY_HOLD = new RegExp(String.raw`${HINT.source}|@|basic|eyJ|dt[kh]?_|-----BEGIN|\\u`, 'i')

const IS_WORD = /^[\w-]*$/

const BY_FORM: readonly [form: RegExp, kept: string][] = [
  [
    /-----BEGIN [^-]{0,40}PRIVATE KEY[^-]{0,20}-----[^]*?(?:-----END [^-]{0,60}-----|$)/g,
    `-----BEGIN PRIVATE KEY----- ${REDACTED}`,
  ],
  [/([a-z][a-z0-9+.-]{0,20}:\\{0,8}\/\\{0,8}\/)[^\s/?#"'<>\\]*@/gi, `$1${REDACTED}@`],
  [/(?<![\w-])eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?/g, REDACTED],
  [/\b(bearer[^\S\n]{1,20})[\w.~+/=-]{4,}/gi, `$1${REDACTED}`],
  [/\b(basic[^\S\n]{1,20})[\w+/=-]{12,}/gi, `$1${REDACTED}`],
]

/** By form and after secret names (`apikey=…`), also in escaped JSON; in linear time. */
export function withoutSecretsInText(text: string, place: Place): string {
  if (IS_WORD.test(text)) return text.includes('dt') ? withoutTokens(text) : text
  if (!MAY_HOLD.test(text)) return text
  let kept = withoutSecretsInJson(text, place)
  for (const [form, by] of BY_FORM) kept = kept.replaceAll(form, by)
  return withoutTokens(withoutNamedSecrets(kept, place))
}

function withoutSecretsInJson(text: string, place: Place): string {
  if (!/^\s*["[{]/.test(text) || boundsFault(text) !== null) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  const written = JSON.stringify(value)
  const safe = JSON.stringify(withoutSecretsIn(value, place))
  return safe === written ? text : safe
}

const QUOTES = '"\'`\u2018-\u201f\u00ab\u00bb\u2033\u301d\u301e\uff02'
const BLANK = '[\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff]'
const NAME = /(?:[\w.-]|\\{1,8}u[0-9a-fA-F]{4})+/g
const PARTED = new RegExp(
  `\\\\{0,8}[${QUOTES}]?${BLANK}{0,20}(?:=>|[:=])${BLANK}{0,20}(\\\\{0,8})([${QUOTES}]?)`,
  'y',
)
const SCHEME = /(?:bearer|basic|token|digest|negotiate|apikey|key|aws4-hmac-sha256)[^\S\n]{1,20}/iy
const PLAIN = new RegExp(`[^\\s${QUOTES},;&}\\]]+`, 'y')
const ANY_QUOTE = new RegExp(`[${QUOTES}]`)
const AFTER_VALUE = /[\s,;&}\])\\]/

function withoutNamedSecrets(text: string, place: Place): string {
  let kept = ''
  let copied = 0
  for (const { 0: written, index } of text.matchAll(NAME)) {
    if (index < copied) continue
    const name = written.replaceAll(/\\{1,8}u([0-9a-fA-F]{4})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (!isSecretName(name, place)) continue
    PARTED.lastIndex = index + written.length
    const parting = PARTED.exec(text)
    if (!parting) continue
    const [, escapes, quote] = parting as unknown as [string, string, string]
    const start = PARTED.lastIndex
    const end = quote === '' ? endOfPlain(text, start) : endOfQuoted(text, start, quote, escapes.length)
    if (end === start || /^(?:null|true|false)$/.test(text.slice(start, end))) continue
    kept += text.slice(copied, start) + REDACTED
    copied = end
  }
  return kept + text.slice(copied)
}

function endOfPlain(text: string, start: number): number {
  if (text[start] === '{' || text[start] === '[') return endOfBrackets(text, start)
  SCHEME.lastIndex = start
  PLAIN.lastIndex = SCHEME.test(text) ? SCHEME.lastIndex : start
  return PLAIN.test(text) ? PLAIN.lastIndex : start
}

function endOfBrackets(text: string, start: number): number {
  for (let at = start, open = 0; at < text.length; at++) {
    if (text[at] === '{' || text[at] === '[') open += 1
    else if ((text[at] === '}' || text[at] === ']') && --open === 0) return at + 1
  }
  return text.length
}

/** The closing quote, else the text's end: better too much is removed than too little. */
function endOfQuoted(text: string, start: number, quote: string, escapes: number): number {
  const isPlain = quote === '"' || quote === "'" || quote === '`'
  for (let at = start, backslashes = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '\\') {
      backslashes += 1
      continue
    }
    const isQuote = isPlain ? character === quote : character !== "'" && ANY_QUOTE.test(character)
    const isEscaped = escapes === 0 ? backslashes % 2 === 1 : backslashes > escapes
    const next = text[at + 1]
    if (isQuote && !isEscaped && (next === undefined || AFTER_VALUE.test(next))) return at - backslashes
    backslashes = 0
  }
  return text.length
}

/** Placeholders of TradingView, n8n, Zapier, JavaScript, shells, Liquid, Jinja, ERB, Python; also unclosed. */
const PLACEHOLDER = /\{\{[^{}]*\}{0,2}|\$\{[^{}]*\}?|\{%[^{}]*\}?|<%[^<>]*>?|\{[A-Za-z_][\w.]{0,60}\}/

/** TradingView's placeholders; some need a value. */
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

/** Paths of texts with placeholders, names included; the depth is bounded. */
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

/** In lower case, with JavaScript's "[object Object]". */
const WORDS_FOR_NOTHING: ReadonlySet<string> = new Set(
  'null undefined nan none nil na infinity object'.split(' '),
)
/** Blanks, punctuation and signs, but not emoji. */
const BETWEEN_WORDS = /[\p{Z}\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cf}]+/u

/** True for only blanks, punctuation and words for nothing. */
export const namesNothing = (text: string): boolean =>
  text
    .toLowerCase()
    .replace('n/a', 'na')
    .split(BETWEEN_WORDS)
    .every((word) => word === '' || WORDS_FOR_NOTHING.has(word))
