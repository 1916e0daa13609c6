import { z } from 'zod'
import {
  compare,
  decimal,
  decimalPlaces,
  isDecimal,
  isPositive,
  type Decimal,
} from '#domain/money/decimal.ts'
import { FRACTION_PLACES } from '#domain/order/broker-rules.ts'
import { reject } from '../rejection.ts'
import { checkLevels } from './levels.ts'
import { checkPrices, checkTimeInForce, type OrderTicket } from './ticket-rules.ts'

const MAX_CLIENT_ORDER_ID = 128
/** Dollars, for an order in dollars or a fraction of a share. */
export const LEAST_VALUE = '1'

export const amount = (name: string) =>
  z
    .union([z.string(), z.number()], { error: `${name} is invalid` })
    .refine(isDecimal, { error: `${name} is invalid` })
    .transform((value): Decimal => decimal(value))
    .refine(isPositive, { error: `${name} must be > 0` })
    .nullish()
    .transform((value) => value ?? null)
const choice = <const Values extends readonly string[]>(name: string, values: Values) =>
  z.enum(values, { error: ({ input }) => (input === undefined ? `${name} is required` : `invalid ${name}`) })

/** null or '': the venue makes one. */
export const clientOrderId = z
  .string({ error: 'client_order_id is invalid' })
  .max(MAX_CLIENT_ORDER_ID, `client_order_id must be no more than ${MAX_CLIENT_ORDER_ID} characters`)
  .nullish()

/** Unknown keys are ignored, as by Alpaca. */
const orderBody = z.object({
  symbol: z.string({ error: 'symbol is required' }).min(1, 'symbol is required'),
  qty: amount('qty'),
  notional: amount('notional'),
  side: choice('side', ['buy', 'sell']),
  type: choice('type', ['market', 'limit', 'stop', 'stop_limit', 'trailing_stop']),
  time_in_force: choice('time_in_force', ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok']),
  limit_price: amount('limit_price'),
  stop_price: amount('stop_price'),
  trail_price: amount('trail_price'),
  trail_percent: amount('trail_percent'),
  extended_hours: z.boolean({ error: 'extended_hours is invalid' }).nullish(),
  client_order_id: clientOrderId,
  order_class: z.enum(['simple', '', 'bracket', 'oco', 'oto'], { error: 'invalid order_class' }).nullish(),
  take_profit: z
    .object({ limit_price: amount('take_profit.limit_price') }, 'take_profit is invalid')
    .nullish(),
  stop_loss: z
    .object(
      { stop_price: amount('stop_loss.stop_price'), limit_price: amount('stop_loss.limit_price') },
      'stop_loss is invalid',
    )
    .nullish(),
  position_intent: choice('position_intent', [
    'buy_to_open',
    'buy_to_close',
    'sell_to_open',
    'sell_to_close',
  ]).nullish(),
})

/** Throws a Rejection that names the first fault. */
export function readOrderTicket(body: unknown): OrderTicket {
  const result = orderBody.safeParse(body)
  if (!result.success) throw reject.invalidParameter(result.error.issues[0]?.message ?? 'invalid order')
  const read = result.data
  const orderClass = read.order_class === 'simple' ? '' : (read.order_class ?? '')
  const { limit_price: takeProfit = null } = read.take_profit ?? {}
  const { stop_price: stopPrice = null, limit_price: stopLimit = null } = read.stop_loss ?? {}
  const ticket: OrderTicket = {
    symbol: read.symbol,
    side: read.side,
    type: read.type,
    timeInForce: read.time_in_force,
    qty: read.qty,
    notional: read.notional,
    limitPrice: orderClass === 'oco' ? (takeProfit ?? read.limit_price) : read.limit_price,
    stopPrice: read.stop_price,
    trailPrice: read.trail_price,
    trailPercent: read.trail_percent,
    orderClass,
    takeProfit: orderClass === 'oco' ? (takeProfit ?? read.limit_price) : takeProfit,
    stopLoss: stopPrice === null ? null : { stopPrice, limitPrice: stopLimit },
    extendedHours: read.extended_hours ?? false,
    clientOrderId: read.client_order_id || null,
    positionIntent: read.position_intent ?? null,
  }
  checkSize(ticket)
  checkLevels(ticket)
  checkPrices(ticket)
  checkTimeInForce(ticket)
  return ticket
}

function checkSize({ qty, notional, type, positionIntent, side }: OrderTicket): void {
  if (qty === null && notional === null) throw reject.invalidParameter('qty or notional is required')
  if (qty !== null && notional !== null) {
    throw reject.invalidParameter('only one of qty or notional is accepted')
  }
  if (qty !== null && decimalPlaces(qty) > FRACTION_PLACES) {
    throw reject.invalidParameter(`qty must have at most ${FRACTION_PLACES} decimal places`)
  }
  if (notional !== null) {
    if (decimalPlaces(notional) > 2) {
      throw reject.invalidParameter('notional value must be limited to 2 decimal places')
    }
    if (compare(notional, LEAST_VALUE) < 0) throw reject.belowLeastValue(LEAST_VALUE)
    if (type !== 'market') throw reject.unprocessable('notional orders must be market orders')
  }
  if (positionIntent !== null && !positionIntent.startsWith(side)) {
    throw reject.invalidParameter(`position_intent ${positionIntent} does not go with side ${side}`)
  }
}
