import { z } from 'zod'
import { compare, decimal, decimalPlaces, isDecimal, isPositive, type Decimal } from '#domain/decimal.ts'
import { FRACTION_PLACES } from '#domain/broker-rules.ts'
import type { OrderTerms } from '../ledger/orders.ts'
import { reject } from '../rejection.ts'

/** The order that a sender asks for, well-formed in itself; whether the account may have it is checked later. */
export type OrderTicket = Pick<
  OrderTerms,
  | 'symbol'
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'qty'
  | 'notional'
  | 'limitPrice'
  | 'stopPrice'
  | 'extendedHours'
> & {
  /** Null when the sender named none: the venue makes one. */
  clientOrderId: string | null
  /** Null when the sender left it to the venue to infer. */
  positionIntent: OrderTerms['positionIntent'] | null
}

const MAX_CLIENT_ORDER_ID = 128
/** Dollars that an order in dollars, or for a part of a share, has to be worth. */
export const LEAST_VALUE = '1'
const EXTENDED_TIMES_IN_FORCE = ['day', 'gtc']
const AUCTION_TIMES_IN_FORCE = ['opg', 'cls']

const amount = (name: string) =>
  z
    .union([z.string(), z.number()], { error: `${name} is invalid` })
    .refine(isDecimal, { error: `${name} is invalid` })
    .transform((value): Decimal => decimal(value))
    .refine(isPositive, { error: `${name} must be > 0` })
    .nullish()
    .transform((value) => value ?? null)
const choice = <const Values extends readonly string[]>(name: string, values: Values) =>
  z.enum(values, { error: ({ input }) => (input === undefined ? `${name} is required` : `invalid ${name}`) })

/** Keys that the venue does not know are passed over, as Alpaca does. */
const orderBody = z.object({
  symbol: z.string({ error: 'symbol is required' }).min(1, 'symbol is required'),
  qty: amount('qty'),
  notional: amount('notional'),
  side: choice('side', ['buy', 'sell']),
  type: choice('type', ['market', 'limit', 'stop', 'stop_limit']),
  time_in_force: choice('time_in_force', ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok']),
  limit_price: amount('limit_price'),
  stop_price: amount('stop_price'),
  extended_hours: z.boolean({ error: 'extended_hours is invalid' }).nullish(),
  client_order_id: z
    .string({ error: 'client_order_id is invalid' })
    .max(MAX_CLIENT_ORDER_ID, `client_order_id must be no more than ${MAX_CLIENT_ORDER_ID} characters`)
    .nullish(),
  order_class: z.enum(['simple', ''], { error: 'only simple orders are traded here' }).nullish(),
  position_intent: choice('position_intent', [
    'buy_to_open',
    'buy_to_close',
    'sell_to_open',
    'sell_to_close',
  ]).nullish(),
})

/** Reads the body of an order; throws a Rejection that names the first fault. */
export function readOrderTicket(body: unknown): OrderTicket {
  const result = orderBody.safeParse(body)
  if (!result.success) throw reject.invalidParameter(result.error.issues[0]?.message ?? 'invalid order')
  const read = result.data
  const ticket: OrderTicket = {
    symbol: read.symbol,
    side: read.side,
    type: read.type,
    timeInForce: read.time_in_force,
    qty: read.qty,
    notional: read.notional,
    limitPrice: read.limit_price,
    stopPrice: read.stop_price,
    extendedHours: read.extended_hours ?? false,
    clientOrderId: read.client_order_id || null,
    positionIntent: read.position_intent ?? null,
  }
  checkSize(ticket)
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

function checkPrices({ type, limitPrice, stopPrice }: OrderTicket): void {
  const needsLimit = type === 'limit' || type === 'stop_limit'
  const needsStop = type === 'stop' || type === 'stop_limit'
  if (needsLimit && limitPrice === null) throw reject.invalidParameter(`${type} orders require limit price`)
  if (needsStop && stopPrice === null) throw reject.invalidParameter(`${type} orders require stop price`)
  if (!needsLimit && limitPrice !== null)
    throw reject.invalidParameter(`${type} orders require no limit price`)
  if (!needsStop && stopPrice !== null) throw reject.invalidParameter(`${type} orders require no stop price`)
  checkIncrement('limit_price', limitPrice)
  checkIncrement('stop_price', stopPrice)
}

/** From a dollar on in cents, below in hundredths of a cent (Rule 612 of Regulation NMS). */
function checkIncrement(name: string, price: Decimal | null): void {
  if (price === null) return
  const places = compare(price, '1') >= 0 ? 2 : 4
  if (decimalPlaces(price) <= places) return
  throw reject.unprocessable(
    `invalid ${name} ${price}. sub-penny increment does not fulfill minimum pricing criteria`,
  )
}

function checkTimeInForce({ type, timeInForce, extendedHours, qty, notional }: OrderTicket): void {
  if (extendedHours && (type !== 'limit' || !EXTENDED_TIMES_IN_FORCE.includes(timeInForce))) {
    throw reject.unprocessable('extended hours order must be DAY or GTC limit orders')
  }
  if (AUCTION_TIMES_IN_FORCE.includes(timeInForce) && type !== 'market' && type !== 'limit') {
    throw reject.unprocessable(`${timeInForce} orders must be market or limit orders`)
  }
  const isFractional = notional !== null || (qty !== null && decimalPlaces(qty) > 0)
  if (isFractional && timeInForce !== 'day')
    throw reject.unprocessable('fractional orders must be DAY orders')
}
