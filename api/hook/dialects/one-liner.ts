import type { HookSettings } from '#domain/hook/settings.ts'
import { notFilledIn, placeholderIn } from '#contract/values/secrets.ts'
import type { Instruction } from '#domain/hook/message.ts'
import { sharesOf, type Dialect, type Intent, type Reading } from './dialect.ts'
import { asChosen } from './positions.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'

const FILLERS: ReadonlySet<string> = new Set(['shares', 'share', 'of', 'units', 'unit'])
/** Some are listed shares (ALL, OPEN, NOW, IT, OUT) and need their exchange: NYSE:ALL. */
const NO_SYMBOLS: ReadonlySet<string> = new Set(
  (
    'all everything both half rest it them now out open long longs short shorts flat position positions order orders trade trades ' +
    'entry entries exit exits stop stops limit limits market stock stocks account accounts buy sell close cancel'
  ).split(' '),
)
const SHARES_BEHIND_QUANTITY: ReadonlySet<string> = new Set('it now open out'.split(' '))

const MOST_WORDS_OF_LINE = 12

const FORM = 'write it as: buy 10 AAPL, sell AAPL, close AAPL, or buy 10 AAPL at 187.5 limit'

type FirstWords = Readonly<Record<string, 'buy' | 'sell' | 'close' | Control>>

/** Lines as SignalStack takes them: `buy 5 AAPL at 187.5 limit`. A price without `limit` is for reference. */
export const lineReader =
  (known: FirstWords): NonNullable<Dialect['readLine']> =>
  (line, fields, settings) => {
    const placeholder = placeholderIn(line)
    if (placeholder !== null)
      return fields.fault('message', 'unfilled_placeholder', `The message: ${notFilledIn(placeholder)}`)
    const words = line.split(/\s/).filter((word) => word !== '')
    const first = (words[0] ?? '').toLowerCase().replaceAll(/[_-]/g, '')
    if (words.length > MOST_WORDS_OF_LINE || !Object.hasOwn(known, first))
      return unread(fields, `is not understood: ${FORM}`)
    const rest = words.slice(1).filter((word) => !FILLERS.has(word.toLowerCase()))
    const all = wholeOf(first, rest)
    const word = all !== null && Object.hasOwn(known, all) ? all : first
    const instructions = instructionsOf(fields, known, word, word === all ? [] : rest, settings)
    return instructions === null ? null : { instructions, name: null, isTest: false }
  }

/** Null for ALL in capitals: `close {{ticker}}` becomes that for Allstate. */
const wholeOf = (first: string, [word, ...others]: readonly string[]): string | null =>
  word !== undefined && word !== 'ALL' && word.toLowerCase() === 'all' && others.length === 0
    ? `${first}all`
    : null

const unread = (fields: SenderFields, why: string): null =>
  fields.fault('message', 'unknown_words', `The message ${why}`)

function instructionsOf(
  fields: SenderFields,
  known: FirstWords,
  first: string,
  rest: readonly string[],
  settings: HookSettings,
): Reading['instructions'] | null {
  const word = known[first]!
  if (isControl(word) && rest.length === 0) return controlled(fields, word, null)
  if (isControl(word) && word !== 'cancel')
    return unread(fields, `says more than ${word}, which is for all shares: send that word alone`)
  const parts = partsOf(rest)
  if (parts === null) return unread(fields, `has words that are not understood: ${FORM}`)
  if (isNoSymbol(parts)) {
    const flatten = Object.hasOwn(known, 'flatten') ? ', or FLATTEN to close everything' : ''
    return unread(
      fields,
      `names no share: ${parts.symbol.toLowerCase()} may be meant as a word. Name the share with its exchange, such as NYSE:${parts.symbol.toUpperCase()}${flatten}`,
    )
  }
  const symbol = symbolOf(fields, ofLine('symbol', parts.symbol), settings)
  if (symbol === null) return null
  if (isControl(word)) return controlled(fields, word, symbol)
  const size = sharesOf(fields, parts.quantity === null ? null : ofLine('quantity', parts.quantity))
  const order = orderOf(fields, parts)
  if (fields.faults.length > 0) return null
  const intent: Intent = word === 'close' ? { kind: 'close', side: null } : asChosen(word, size, settings)
  const trade = tradeInstruction(fields, { symbol, intent, size, order, names: {} }, settings)
  return trade === null ? null : [trade]
}

interface LineParts {
  quantity: string | null
  symbol: string
  price: string | null
  isLimit: boolean
}

/** [quantity] symbol [at price] [limit]; null for anything else. */
function partsOf(words: readonly string[]): LineParts | null {
  const left = [...words]
  const quantity = /^[-+$]?[\d.]/.test(left[0] ?? '') ? left.shift()! : null
  const symbol = left.shift()
  if (symbol === undefined) return null
  const isAt = /^(?:at|@)$/i.test(left[0] ?? '')
  if (isAt) left.shift()
  const price = isAt ? (left.shift() ?? null) : null
  const last = (left.shift() ?? '').toLowerCase()
  if (left.length > 0 || (isAt && price === null) || !['', 'limit', 'market'].includes(last)) return null
  if (last === 'limit' && price === null) return null
  return { quantity, symbol, price, isLimit: last === 'limit' }
}

const isNoSymbol = ({ quantity, symbol }: LineParts): boolean => {
  const word = symbol.toLowerCase()
  return NO_SYMBOLS.has(word) && (quantity === null || !SHARES_BEHIND_QUANTITY.has(word))
}

const ofLine = (name: string, value: string): Given => ({ name, path: [name], value })

function orderOf(fields: SenderFields, { price, isLimit }: LineParts): Record<string, unknown> {
  if (price === null) return {}
  const value = fields.positive(ofLine('price', price))
  if (isLimit) return { orderType: 'limit', limitPrice: value }
  fields.advise(
    'price_not_used',
    'A price without the word limit is for reference: the order is a market order',
  )
  return {}
}

export type Control = 'cancel' | 'flatten' | 'pause' | 'kill' | 'resume'

export const isControl = (word: string): word is Control =>
  ['cancel', 'flatten', 'pause', 'kill', 'resume'].includes(word)

/**
 * Only a person resumes trading.
 * @param symbol null for all
 */
export function controlled(fields: SenderFields, word: Control, symbol: string | null): Instruction[] | null {
  if (word === 'cancel') return [{ kind: 'cancel', symbol }]
  if (word === 'flatten') return [{ kind: 'flatten' }]
  if (word === 'pause') return [{ kind: 'halt', level: 'pauseEntries' }]
  if (word === 'kill') return [{ kind: 'halt', level: 'reduceOnly' }]
  return fields.fault(
    'action',
    'resume_by_person',
    'No message can resume trading: a person does that in the web application',
  )
}
