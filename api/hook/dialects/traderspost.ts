import type { Instruction } from '#domain/hook/message.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { wordsFor, type Dialect, type Intent, type Reading, type Side, type Size } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import { adviseOfBothLegs, asChosen, towards, step } from './positions.ts'
import { delayOf, named, readOrder } from './orders.ts'
import { exitOfObjects } from './protection.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'

/** Source: TradersPost/docs (core-concepts/webhooks, order-behavior). */
export const traderspost: Dialect = { isNested: false, read, readLine: null }

const ACTION_WORDS = { buy: 'buy', sell: 'sell', exit: 'exit', cancel: 'cancel', add: 'add' } as const
type ActionWord = keyof typeof ACTION_WORDS
const SENTIMENTS = wordsFor({ LONG: 'bullish long', SHORT: 'bearish short', flat: 'flat' })
const UNIT_OF: Readonly<Record<string, Size['unit']>> = {
  fixedquantity: 'shares',
  dollaramount: 'dollars',
  percentofequity: 'percentEquity',
  percentofposition: 'percentOfPosition',
  riskdollaramount: 'riskDollars',
  riskpercent: 'riskPercent',
}
const OPTION_FIELDS = 'optiontype intrinsicvalue expiration strikecount strikesaway strikeprice'.split(' ')
const WITHOUT_MEANING = 'price signalprice time interval message extras ignoretradingwindows'.split(' ')

function read(fields: SenderFields, settings: HookSettings): Reading | null {
  fields.know(...WITHOUT_MEANING)
  const ticker = fields.pick('ticker')
  const actionGiven = fields.pick('action')
  const symbol = symbolOf(fields, ticker, settings)
  const action = fields.word(actionGiven, ACTION_WORDS)
  if (fields.lacks('ticker'))
    fields.fault('ticker', 'required', 'ticker is required: the share, such as AAPL')
  if (fields.lacks('action'))
    fields.fault('action', 'required', 'action is required: buy, sell, exit, cancel or add')
  refuseOptions(fields)
  const isTest = fields.flag(fields.optional('test')) ?? false
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES))
  const isCancelling = fields.flag(fields.optional('cancel')) ?? false
  refuseNarrowCancel(fields)
  const trade = tradeOf(fields, settings, action, symbol, actionGiven)
  if (symbol === null || action === null) return null
  const cancel: Instruction = { kind: 'cancel', symbol }
  if (action === 'cancel') return { instructions: [cancel], name, isTest }
  if (trade === null) return null
  return { instructions: isCancelling ? [cancel, trade] : [trade], name, isTest }
}

function tradeOf(
  fields: SenderFields,
  settings: HookSettings,
  action: ActionWord | null,
  symbol: string | null,
  actionGiven: Given | null,
): Instruction | null {
  const sentiment = fields.pick('sentiment')
  const side = fields.word(sentiment, SENTIMENTS, 'bullish, bearish, flat')
  const size = sizeOf(fields)
  const { order, names } = readOrder(fields, { shortNames: false })
  const protection = exitOfObjects(fields)
  const delaySeconds = delayOf(fields)
  if (action === null || action === 'cancel') return null
  if (side !== null && action !== 'buy' && action !== 'sell' && !(action === 'exit' && side === 'flat'))
    return fields.fault(
      sentiment!,
      'not_allowed',
      `sentiment can be used with the actions buy and sell alone, not with ${action}`,
    )
  const intent = intentOf(action, side, size, settings)
  if (action === 'add' && settings.mayShort)
    fields.advise(
      'adds_to_long',
      'add says no side: it adds to a long position alone. Send sell to add to a short one',
    )
  if (side !== null && settings.mayShort)
    adviseOfBothLegs(fields, intent, size, 'a hook of the kind TradingView follows its position instead')
  if (symbol === null) return null
  const tradeRequest = {
    symbol,
    intent,
    size: side === 'flat' ? null : size,
    // TradersPost's default.
    sizeless: '1' as const,
    order,
    protection,
    delaySeconds,
    names: { symbol: 'ticker', ...named('action', actionGiven), ...names },
  }
  return tradeInstruction(fields, tradeRequest, settings)
}

function intentOf(
  action: Exclude<ActionWord, 'cancel'>,
  side: Side | 'flat' | null,
  size: Size | null,
  settings: HookSettings,
): Intent {
  if (action === 'exit' || side === 'flat') return { kind: 'close', side: null }
  if (action === 'add') return step('buy', { whenFlat: 'refuse', whenOpposite: 'refuse', whenSame: 'add' })
  if (side !== null) return towards(action, side, settings)
  if (size?.unit === 'percentOfPosition') return { kind: 'close', side: action === 'sell' ? 'LONG' : 'SHORT' }
  return asChosen(action, size, settings)
}

function sizeOf(fields: SenderFields): Size | null {
  const given = fields.pick('quantity')
  const value = fields.positive(given)
  const typeGiven = fields.optional('quantitytype')
  const unit = fields.word(
    typeGiven,
    UNIT_OF,
    'fixed_quantity, dollar_amount, risk_dollar_amount, risk_percent, percent_of_equity, percent_of_position',
  )
  if (given === null || value === null || (typeGiven !== null && unit === null)) return null
  return { unit: unit ?? 'shares', value, given }
}

function refuseOptions(fields: SenderFields): void {
  for (const name of OPTION_FIELDS) {
    const given = fields.optional(name)
    if (given !== null)
      fields.fault(
        given,
        'not_a_share',
        `${given.name} is of an option: only US shares and ETFs are traded here`,
      )
  }
}

function refuseNarrowCancel(fields: SenderFields): void {
  const given = fields.optional('cancelordertype')
  if (given !== null && fields.text(given)?.toLowerCase() !== 'all')
    fields.fault(
      given,
      'unsupported_cancel',
      'cancelOrderType cannot be narrowed: leave it out, and all working entries of the ticker are cancelled',
    )
}
