import type { HookSettings } from '#domain/hook/settings.ts'
import { sharesOf, wordsFor, type Dialect, type Intent, type Reading, type Size } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import {
  adviseOfBothLegs,
  asChosen,
  readPositions,
  type Positions,
  ADD_SIZE,
  byPosition,
  isContracts,
} from './positions.ts'
import { lineReader } from './one-liner.ts'
import { delayOf, named, readOrder } from './orders.ts'
import { exitForHeld, exitOfFields } from './protection.ts'
import type { SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'

/** No word closes everything. */
const LINE_WORDS_OF_ALERTS = wordsFor({ buy: 'buy long', sell: 'sell short', close: 'close exit flat' })

export const tradingview: Dialect = { isNested: true, read, readLine: lineReader(LINE_WORDS_OF_ALERTS) }

const TRADINGVIEW_WORDS = wordsFor({
  buy: 'buy long openlong enterlong',
  sell: 'sell short openshort entershort',
  close: 'close exit flat flatten closeall exitall',
  closeLong: 'closelong exitlong',
  closeShort: 'closeshort exitshort',
  cancel: 'cancel',
  protect: 'protect',
})
type Word = (typeof TRADINGVIEW_WORDS)[string]
const SHOWN_WORDS = 'buy, sell, close, closeLong, closeShort, cancel, protect'

/** `action`, `order_action`, `strategy.order.action`. */
const placeholderNames = (...names: string[]): string[] =>
  ['', 'order', 'strategyorder', 'strategy'].flatMap((prefix) => names.map((name) => `${prefix}${name}`))

const SYMBOL_NAMES = 'ticker symbol sym instrument pair syminfoticker tickerid syminfotickerid'.split(' ')
const ACTION_NAMES = [...placeholderNames('action', 'side'), ...placeholderNames('alertmessage')]
const SIZE_NAMES = placeholderNames('contracts', 'quantity', 'qty', 'size', 'shares')
const BARS = ['open', 'high', 'low', 'close', 'volume', 'time', 'interval', 'timeframe', 'period']
/** TradingView fills these in for people; `price` is never a limit. */
const FOR_PEOPLE = [
  ...placeholderNames('price', 'id', 'comment', 'name'),
  ...BARS.flatMap((name) => [name, `bar${name}`]),
  ...Array.from({ length: 20 }, (_, plot) => `plot${plot}`),
  ...'id timenow currency syminfocurrency message note strategy bot signalprice test dryrun'.split(' '),
]

function read(fields: SenderFields, settings: HookSettings): Reading | null {
  fields.know(...FOR_PEOPLE)
  const before = fields.faults.length
  const ticker = fields.pick(...SYMBOL_NAMES)
  const exchange = fields.optional('exchange', 'syminfoprefix')
  const symbol = symbolOf(fields, ticker, settings, exchange)
  if (fields.lacks(...SYMBOL_NAMES))
    fields.fault('ticker', 'required', 'ticker is required: "ticker": "{{ticker}}" says the share')
  const actionGiven = fields.first(...ACTION_NAMES)
  const word = fields.word(actionGiven, TRADINGVIEW_WORDS, SHOWN_WORDS)
  // `fixed_quantity` overrules the strategy's size.
  const size = sharesOf(fields, fields.pick('fixedquantity') ?? fields.pick(...SIZE_NAMES))
  fields.know(...SIZE_NAMES)
  const positions = readPositions(fields)
  refuseAmbiguous(fields)
  const { order, names } = readOrder(fields, { shortNames: false })
  const protection = exitOfFields(fields)
  const delaySeconds = delayOf(fields)
  const isTest = fields.flag(fields.optional('test', 'dryrun')) ?? false
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES))
  if (fields.faults.length > before || symbol === null) return null
  if (word === 'cancel') return { instructions: [{ kind: 'cancel', symbol }], name, isTest }
  if (word === 'protect') {
    const plan = exitForHeld(fields, protection)
    return plan === null ? null : { instructions: [{ kind: 'protect', symbol, plan }], name, isTest }
  }
  const intent = intentOf(fields, word, size, positions, settings)
  if (intent === null) return null
  const tradeRequest = {
    symbol,
    ...intent,
    order,
    protection,
    delaySeconds,
    senderHolds: positions.before,
    names: { ...named('symbol', ticker), ...named('action', actionGiven), ...positions.names, ...names },
  }
  const trade = tradeInstruction(fields, tradeRequest, settings)
  return trade === null ? null : { instructions: [trade], name, isTest }
}

function intentOf(
  fields: SenderFields,
  word: Exclude<Word, 'cancel' | 'protect'> | null,
  size: Size | null,
  positions: Positions,
  settings: HookSettings,
): { intent: Intent; size: Size | null } | null {
  const direction = word === 'buy' || word === 'sell' ? word : null
  if (positions.now !== null)
    return byPosition(fields, direction, size, { ...positions, now: positions.now }, settings)
  if (word === 'close') return { intent: { kind: 'close', side: null }, size }
  if (word === 'closeLong') return { intent: { kind: 'close', side: 'LONG' }, size }
  if (word === 'closeShort') return { intent: { kind: 'close', side: 'SHORT' }, size }
  if (direction !== null) {
    const intent = asChosen(direction, size, settings)
    if (settings.mayShort && isContracts(size)) adviseOfBothLegs(fields, intent, size, ADD_SIZE)
    return { intent, size }
  }
  return fields.fault(
    'action',
    'required',
    'The message says neither an action nor a position: add "action": "{{strategy.order.action}}" or "market_position": "{{strategy.market_position}}"',
  )
}

/** Senders mean a position's protection or an order's price. */
const AMBIGUOUS = [
  ['stop', 'stopLoss for the stop of the position, or stopPrice for that of a stop order'],
  ['limit', 'limitPrice for a limit order, or takeProfit for the profit target'],
  ['target', 'takeProfit for the profit target'],
] as const

function refuseAmbiguous(fields: SenderFields): void {
  for (const [name, mend] of AMBIGUOUS) {
    const given = fields.optional(name)
    if (given !== null)
      fields.fault(given, 'ambiguous', `${given.name} has more than one meaning: write ${mend}`)
  }
}
