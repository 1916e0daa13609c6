import { compare, type Decimal } from '#domain/money/decimal.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { OrderType } from '#domain/order/order.ts'
import { sharesOf, type Dialect, type Intent, type Reading } from './dialect.ts'
import { FIELDS_OF_ALERT_NAMES, alertNameOf } from './identity.ts'
import { asChosen, asFarAsLong, mayOpen } from './positions.ts'
import { named, type ReadOrder } from './orders.ts'
import { saysZero, type Given, type SenderFields } from './sender-fields.ts'
import { symbolOf } from './symbols.ts'
import { tradeInstruction } from './trade-instruction.ts'

/** Source: marketcalls/openalgo (docs/api/order-management); a strategy's address takes `{symbol, action}`. */
export const openalgo: Dialect = { isNested: false, read, readLine: null }

const OPENALGO_WORDS = { buy: 'buy', sell: 'sell' } as const
const PRICE_TYPES: Readonly<Record<string, { orderType: OrderType; isLimit: boolean; isStop: boolean }>> = {
  market: { orderType: 'market', isLimit: false, isStop: false },
  limit: { orderType: 'limit', isLimit: true, isStop: false },
  sl: { orderType: 'stopLimit', isLimit: true, isStop: true },
  slm: { orderType: 'stop', isLimit: false, isStop: true },
}

function read(fields: SenderFields, settings: HookSettings): Reading | null {
  fields.know('strategy', 'time', 'timenow', 'timestamp')
  const symbolGiven = fields.pick('symbol')
  const actionGiven = fields.pick('action')
  const symbol = symbolOf(fields, symbolGiven, settings, fields.optional('exchange'))
  const direction = fields.word(actionGiven, OPENALGO_WORDS, 'BUY, SELL')
  for (const field of ['symbol', 'action'])
    if (fields.lacks(field)) fields.fault(field, 'required', `${field} is required`)
  const targetGiven = fields.pick('positionsize')
  const target = fields.number(targetGiven)
  const quantity = fields.pick('quantity')
  // A smart order's position overrules its quantity.
  const size = targetGiven === null ? sharesOf(fields, quantity) : null
  const { order, names } = orderOf(fields)
  adviseOfProduct(fields)
  const name = alertNameOf(fields, fields.pick(...FIELDS_OF_ALERT_NAMES))
  if (fields.faults.length > 0 || symbol === null || direction === null) return null
  const isTarget = targetGiven !== null && target !== null
  const intent = isTarget
    ? targetOf(fields, target, targetGiven, settings)
    : asChosen(direction, size, settings)
  const tradeRequest = {
    symbol,
    intent,
    size,
    order,
    names: { ...named('targetPosition', targetGiven), ...names },
  }
  const trade = tradeInstruction(fields, tradeRequest, settings)
  return trade === null ? null : { instructions: [trade], name, isTest: false }
}

const targetOf = (fields: SenderFields, position: Decimal, given: Given, settings: HookSettings): Intent =>
  compare(position, '0') < 0 && !mayOpen('sell', settings)
    ? asFarAsLong(fields)
    : { kind: 'target', position, at: null, given }

/** Prices of other order types are meaningless. */
function orderOf(fields: SenderFields): ReadOrder {
  const typeGiven = fields.optional('pricetype')
  const kind = fields.word(typeGiven, PRICE_TYPES, 'MARKET, LIMIT, SL, SL-M') ?? PRICE_TYPES['market']!
  const [price, trigger] = [fields.optional('price'), fields.optional('triggerprice')]
  const limit = kind.isLimit ? fields.price(price) : null
  const stop = kind.isStop ? fields.price(trigger) : null
  return {
    order: {
      orderType: kind.orderType,
      ...(limit !== null && { limitPrice: limit.value }),
      ...(stop !== null && { stopPrice: stop.value }),
    },
    names: {
      ...named('orderType', typeGiven),
      limitPrice: price?.name ?? 'price',
      stopPrice: trigger?.name ?? 'trigger_price',
    },
  }
}

function adviseOfProduct(fields: SenderFields): void {
  const product = fields.optional('product')
  if (product !== null && fields.text(product)?.toUpperCase() === 'MIS')
    fields.advise(
      'product_ignored',
      'MIS closes nothing at the end of the day here: set an exit in the hook, such as some minutes before the close',
    )
  const disclosed = fields.optional('disclosedquantity')
  if (disclosed !== null && !saysZero(disclosed))
    fields.advise('disclosed_ignored', 'disclosed_quantity means nothing here: the whole order is shown')
}
