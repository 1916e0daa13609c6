import type { HookSettings } from '#domain/hook/settings.ts'
import { wordsFor, type Dialect, type Intent, type Reading, type Size } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import { asChosen } from './positions.ts'
import { controlled, isControl, lineReader, type Control } from './one-liner.ts'
import { named, readOrder } from './orders.ts'
import { exitOfFields } from './protection.ts'
import type { SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'

type Word = 'buy' | 'sell' | 'close' | Control

const RELAY_WORDS: Readonly<Record<string, Word>> = wordsFor({
  buy: 'buy long',
  sell: 'sell short',
  close: 'close exit flat',
  flatten: 'flatten closeall exitall',
  cancel: 'cancelall cancel',
})
const RELAY_HALT_WORDS: Readonly<Record<string, Word>> = { pause: 'pause', kill: 'kill', resume: 'resume' }
const SIZE_FIELDS: readonly [readonly string[], Size['unit']][] = [
  [['quantity', 'qty', 'size', 'contracts', 'shares', 'amount'], 'shares'],
  [['notional', 'cash', 'dollars', 'cost'], 'dollars'],
  [['percentequity', 'equitypercent'], 'percentEquity'],
  [['riskpercent'], 'riskPercent'],
]
/** Prices here are only for reference. */
const SAID_ASIDE =
  'price referenceprice close comment message note time timenow timestamp interval test dryrun'.split(' ')

/** Source: LuxAlgo/trade-relay (docs/payload.md). */
export const tradeRelay: Dialect = {
  isNested: false,
  read: (fields, settings) => read(fields, settings, { ...RELAY_WORDS, ...RELAY_HALT_WORDS }),
  readLine: lineReader({ ...RELAY_WORDS, ...RELAY_HALT_WORDS }),
}

/** Source: LuxAlgo/trade-relay (docs/migrate-signalstack.md). */
export const signalstack: Dialect = {
  isNested: false,
  read: (fields, settings) => read(fields, settings, RELAY_WORDS),
  readLine: lineReader(RELAY_WORDS),
}

function read(
  fields: SenderFields,
  settings: HookSettings,
  words: Readonly<Record<string, Word>>,
): Reading | null {
  fields.know(...SAID_ASIDE)
  const actionGiven = fields.first('action', 'side', 'signal')
  const word = fields.word(actionGiven, words)
  if (fields.lacks('action', 'side', 'signal'))
    fields.fault('action', 'required', 'action is required: buy, sell, close, flatten or cancel_all')
  const symbolGiven = fields.pick('symbol', 'ticker', 'sym', 'instrument', 'pair')
  const symbol = symbolOf(fields, symbolGiven, settings)
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES, 'id'))
  const isTest = fields.flag(fields.optional('test', 'dryrun')) ?? false
  const size = sizeOf(fields)
  const { order, names } = readOrder(fields, { shortNames: true })
  const protection = exitOfFields(fields)
  if (fields.faults.length > 0 || word === null) return null
  if (isControl(word)) {
    const instructions = controlled(fields, word, symbol)
    return instructions === null ? null : { instructions, name, isTest }
  }
  if (symbol === null) return fields.fault('symbol', 'required', `symbol is required for ${word}`)
  const intent: Intent = word === 'close' ? { kind: 'close', side: null } : asChosen(word, size, settings)
  const own = { ...named('symbol', symbolGiven), ...named('action', actionGiven), ...names }
  const tradeRequest = { symbol, intent, size, order, protection, names: own }
  const trade = tradeInstruction(fields, tradeRequest, settings)
  if (trade === null) return null
  return { instructions: word === 'close' ? [{ kind: 'cancel', symbol }, trade] : [trade], name, isTest }
}

function sizeOf(fields: SenderFields): Size | null {
  const found = SIZE_FIELDS.map(([names, unit]) => ({ given: fields.optional(...names), unit }))
  const first = found.find((size) => size.given !== null)
  if (first === undefined) {
    for (const [names] of SIZE_FIELDS) fields.pick(...names)
    return null
  }
  const value = fields.positive(first.given)
  return value === null ? null : { unit: first.unit, value, given: first.given! }
}
