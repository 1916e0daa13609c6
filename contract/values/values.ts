import { z } from 'zod'
import {
  compare,
  decimal,
  decimalPlaces,
  divideDown,
  isPositive,
  LEDGER_PLACES,
  magnitude,
  round,
  type Decimal,
} from '#domain/money/decimal.ts'
import { namesNothing, notFilledIn, placeholderIn } from './secrets.ts'

const US_EXCHANGES: ReadonlySet<string> = new Set(
  (
    'NASDAQ NYSE AMEX ARCA NYSEARCA NYSEAMERICAN NYSEMKT NYSE_ARCA NYSE_AMERICAN BATS CBOE CBOEBZX IEX OTC ' +
    'XNAS XNYS XASE ARCX'
  ).split(' '),
)
const DELAYED = /_DLY?$/
const PREFIXED = /^([A-Z][A-Z0-9_]{0,19}):(.*)$/
/** Some feeds append the country. */
const COUNTRY = /\.US$/
const CLASS = /^([A-Z]{1,18})[-/](?:([A-Z])|(WS|WT|RT)|PR?([A-Z]))$/

const SYMBOL_LENGTH = 20
const SYMBOL = /^[A-Z0-9][A-Z0-9./-]*$/

/** Alpaca's form (`BRK.B`). ASCII is checked first: no letter may become another symbol's. */
export function readSymbol(text: string): { symbol: string } | { fault: string } {
  if (!/^[\x20-\x7E]*$/.test(text)) return { fault: OTHER_SIGNS }
  const [, prefix, name = ''] = PREFIXED.exec(text.toUpperCase()) ?? ['', undefined, text.toUpperCase()]
  if (prefix !== undefined && !US_EXCHANGES.has(prefix.replace(DELAYED, '')))
    return {
      fault: `begins with ${prefix}, which is no exchange of US shares: only US shares and ETFs are traded, and named like AAPL`,
    }
  if (name.length < 1 || name.length > SYMBOL_LENGTH)
    return { fault: `must be 1 to ${SYMBOL_LENGTH} characters long` }
  const symbol = withClass(name.replace(COUNTRY, ''))
  return SYMBOL.test(symbol) ? { symbol } : { fault: OTHER_SIGNS }
}

const OTHER_SIGNS = 'must consist of letters, digits, ".", "/" and "-", and begin with a letter or digit'

function withClass(name: string): string {
  const [, base, letter, rights, series] = CLASS.exec(name) ?? []
  if (base === undefined) return name
  if (letter !== undefined) return `${base}.${letter}`
  return series === undefined ? `${base}.${rights === 'WT' ? 'WS' : rights}` : `${base}.PR${series}`
}

export function spellingReported(text: string, symbol: string): string | null {
  const given = text.toUpperCase()
  if (given === symbol) return null
  const isPrefixed = given.includes(':')
  const name = given.slice(given.indexOf(':') + 1)
  const isClass = name.replace(COUNTRY, '') !== symbol
  const why = [
    ...(isPrefixed ? ['an exchange before it is left out'] : []),
    ...(COUNTRY.test(name) ? ['the country behind it is left out'] : []),
    ...(isClass ? ['the class of a share follows a dot'] : []),
  ]
  return `${given} is read as ${symbol}: ${why.join(', and ')}`
}

const MONEY = 'USD|USDT|USDC|EUR|GBP|JPY|CHF|CAD|AUD|NZD|BTC|ETH'
/** A pair's separator or a future's mark is certain; BTCUSD needs a look-up. */
const PAIR = new RegExp(`^(?:[A-Z0-9]{2,12}[-/.](?:${MONEY})|[A-Z0-9]{1,14}(?:USD|USDT|USDC)\\.P)$`)

/** The reason why a symbol is no share; null if its form is unclear. */
export const pairFault = (symbol: string): string | null =>
  PAIR.test(symbol) ? `${symbol} is a coin or a currency pair; only US shares and ETFs are traded` : null

// The web application's policy forbids code from text.
z.config({ jitless: 'document' in globalThis })

// oxlint-disable-next-line no-control-regex -- the check is for control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/
// oxlint-disable-next-line no-control-regex -- without tab, line feed and carriage return
const CONTROL_BUT_LINE_BREAKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** Storable: PostgreSQL takes no NUL, and broken surrogates would become equal. */
export const isPlainText = (text: string, { lineBreaks = false } = {}): boolean =>
  text.isWellFormed() && !(lineBreaks ? CONTROL_BUT_LINE_BREAKS : CONTROL_CHARACTERS).test(text)

const SMALLEST_DECIMAL = '0.000000001'
export const MAX_QUANTITY = '1000000000'
/** Dollars a share. */
const MAX_PRICE = '10000000'
/** Alerting services send text. "1e3", "0x10" and " 1" are no plain decimals. */
const PLAIN_DECIMAL = /^-?\d{1,30}(\.\d{1,30})?$/

const numberOrText = (what: string, example: number | string = 1000) =>
  z.union(
    [
      z.number(),
      z.string().regex(PLAIN_DECIMAL, { error: ({ input }) => inPlainDigits(what, example, input) }),
    ],
    {
      error: `must be ${what}`,
    },
  )

function inPlainDigits(what: string, example: number | string, input: unknown): string {
  const placeholder = placeholderIn(String(input))
  return `must be ${what}, such as ${example}${placeholder === null ? '' : `: ${notFilledIn(placeholder)}`}`
}

/** OpenAPI does not see refinements. */
const numberOrTextSchema = (number: object) => ({
  anyOf: [number, { type: 'string', pattern: PLAIN_DECIMAL.source, description: 'The same number as text' }],
})

export const positiveDecimal = (most: Decimal) =>
  numberOrText('a number')
    .transform((value) => decimal(value))
    .refine(isPositive, 'must be greater than 0')
    .refine((value) => compare(value, most) <= 0, `must be at most ${most}`)
    .refine((value) => decimalPlaces(value) <= LEDGER_PLACES, `must have at most ${LEDGER_PLACES} decimals`)
    .meta(numberOrTextSchema({ type: 'number', exclusiveMinimum: 0, maximum: Number(most) }))

/** Further decimals are cut off: programs divide, and the rest is worth a cent at most. */
export const quantity = () =>
  numberOrText('a number')
    .transform((value) => decimal(value))
    .refine((value) => isPositive(value), { error: 'must be greater than 0', abort: true })
    .refine((value) => compare(value, MAX_QUANTITY) <= 0, `must be at most ${MAX_QUANTITY}`)
    .transform((value) => divideDown(value, '1', LEDGER_PLACES))
    .refine(isPositive, `must be at least ${SMALLEST_DECIMAL}`)
    .meta(numberOrTextSchema({ type: 'number', exclusiveMinimum: 0, maximum: Number(MAX_QUANTITY) }))

/** Rounded to our decimals (187.54000000000002 means 187.54), not to a broker's tick. */
export const price = () =>
  numberOrText('a number')
    .transform((value) => decimal(value))
    .refine((value) => isPositive(value), { error: 'must be greater than 0', abort: true })
    .refine((value) => compare(value, MAX_PRICE) <= 0, `must be at most ${MAX_PRICE}`)
    .transform((value) => round(value, LEDGER_PLACES))
    .refine(isPositive, `must be at least ${SMALLEST_DECIMAL}`)
    .meta(numberOrTextSchema({ type: 'number', exclusiveMinimum: 0, maximum: Number(MAX_PRICE) }))

export const decimalFrom0 = (most: Decimal) =>
  numberOrText('a number')
    .transform((value) => decimal(value))
    .refine((value) => compare(value, '0') >= 0, 'must not be negative')
    .refine((value) => compare(value, most) <= 0, `must be at most ${most}`)
    .refine((value) => decimalPlaces(value) <= LEDGER_PLACES, `must have at most ${LEDGER_PLACES} decimals`)
    .meta(numberOrTextSchema({ type: 'number', minimum: 0, maximum: Number(most) }))

export const signedDecimal = (most: Decimal) =>
  numberOrText('a number')
    .transform((value) => decimal(value))
    .refine((value) => compare(magnitude(value), most) <= 0, `must be from -${most} to ${most}`)
    .refine((value) => decimalPlaces(value) <= LEDGER_PLACES, `must have at most ${LEDGER_PLACES} decimals`)
    .meta(numberOrTextSchema({ type: 'number', minimum: -Number(most), maximum: Number(most) }))

export const wholeNumber = (least: number, most: number) =>
  numberOrText(`a whole number from ${least} to ${most}`, least)
    .transform(Number)
    .refine(
      (value) => Number.isInteger(value) && value >= least && value <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .meta(numberOrTextSchema({ type: 'integer', minimum: least, maximum: most }))

export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })

/** Separated by commas, or repeated. */
export const anyOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .union([z.string(), z.array(z.string())], { error: 'must be text' })
    .transform((given) => [...new Set([given].flat().flatMap((text) => text.split(',')))].toSorted())
    .refine(
      (given): given is T[number][] => given.every((word) => words.includes(word)),
      `must be one or several of ${words.join(', ')}, separated by commas`,
    )
    .meta({ anyOf: undefined, type: 'array', items: { type: 'string', enum: words } })

export const wordInAnyCase = <const T extends readonly [Uppercase<string>, ...Uppercase<string>[]]>(
  words: T,
) =>
  z
    .string({ error: `must be one of ${words.join(', ')}` })
    .refine((text) => words.includes(text.toUpperCase() as T[number]), `must be one of ${words.join(', ')}`)
    .transform((text) => text.toUpperCase() as T[number])

export const trueOrFalse = () => z.boolean({ error: 'must be true or false' })

export const isId = (text: string): boolean => uuid().safeParse(text).success

export const uuid = () => z.guid({ error: 'must be a UUID' }).toLowerCase()

export const lineOfText = (longest: number) =>
  z
    .string({ error: 'must be text' })
    .refine((text) => isPlainText(text), 'must not contain control characters or broken surrogate pairs')
    .refine(
      (text) => text.length > 0 && Array.from(text).length <= longest,
      `must be 1 to ${longest} characters long`,
    )
    .meta({ minLength: 1, maxLength: longest })

export const identifyingText = (longest: number) =>
  lineOfText(longest).refine((text) => text === '' || !namesNothing(text), NAMES_NOTHING)

export const NAMES_NOTHING =
  'must distinguish this request from all others: the sender has put nothing there, or a word for nothing, which would be the same the next time'

const MAX_SYMBOL = 41

export const linesOfText = (longest: number) =>
  z
    .string({ error: 'must be text' })
    .refine(
      (text) => isPlainText(text, { lineBreaks: true }),
      'must not contain control characters or broken surrogate pairs',
    )
    .refine((text) => Array.from(text).length <= longest, `must be at most ${longest} characters long`)

const SYMBOL_TEXT = /^([A-Za-z][A-Za-z0-9_]*:)?[A-Za-z0-9][A-Za-z0-9./-]*$/.source

export const symbol = () =>
  z
    .string({ error: 'must be text' })
    .transform(readAs(readSymbol))
    .meta({ minLength: 1, maxLength: MAX_SYMBOL, pattern: SYMBOL_TEXT })

export const symbols = () =>
  z
    .string({ error: 'must be text' })
    .transform(
      readAs((text) => {
        if (!text.endsWith('*')) return readSymbol(text)
        const read = readSymbol(text.slice(0, -1))
        return 'symbol' in read ? { symbol: `${read.symbol}*` } : read
      }),
    )
    .meta({ minLength: 1, maxLength: MAX_SYMBOL + 1, pattern: `${SYMBOL_TEXT.slice(0, -1)}\\*?$` })
    .describe('One symbol, or with a star behind it all that begin so: `NV*`')

const readAs =
  (read: typeof readSymbol) =>
  (text: string, context: z.RefinementCtx): string => {
    const result = read(text)
    if ('symbol' in result) return result.symbol
    context.issues.push({ code: 'custom', message: result.fault, input: text })
    return z.NEVER
  }

export const eachOnce = <S extends z.ZodType>(item: S, what: string, most: number) =>
  z
    .array(item, { error: `must be a list of ${what}` })
    .min(1, `must name at least one of the ${what}`)
    .max(most, `must name at most ${most} ${what}`)
    .refine((items) => new Set(items).size === items.length, `must name each of the ${what} once`)
    .optional()
