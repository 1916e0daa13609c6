import { add, compare, subtract, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import {
  executionSide,
  isReducing,
  type AnyOrderType,
  type OrderReport,
  type OrderRequest,
  type OrderSide,
  type TimeInForce,
} from './order.ts'
import { tickAt } from './price-tick.ts'
import { rests, standsStill, type LiveOrder, type SymbolBook } from './symbol-book.ts'

/** Brokers reject a possible wash trade: market and stop orders beside any opposite one, limits that meet it. */
export type OppositeOrderAction =
  | { what: 'clear' }
  /** A market order is accepted as a limit order at this price (dollars a share), which trades at once. */
  | { what: 'limit'; limitPrice: Decimal }
  | { what: 'wait'; order: LiveOrder }
  | { what: 'cancel'; orders: LiveOrder[] }

export type OpenOrder = Pick<
  OrderReport,
  | 'brokerOrderId'
  | 'clientOrderId'
  | 'symbol'
  | 'side'
  | 'quantity'
  | 'filledQuantity'
  | 'orderType'
  | 'timeInForce'
  | 'limitPrice'
  | 'stopPrice'
>

export function oppositeFault(
  order: Pick<OrderRequest, 'symbol' | 'side' | 'limitPrice'>,
  open: readonly OpenOrder[],
): string | null {
  const met = open.find((other) => other.symbol === order.symbol && wouldMeet(order, other))
  if (met === undefined) return null
  const { side, quantity, symbol, orderType, limitPrice, brokerOrderId } = met
  const price = limitPrice === null ? '' : ` at ${figure(limitPrice)}`
  return `An open order of the account stands on the other side, and the two could trade with each other: ${side} ${figure(quantity)} ${symbol} ${orderType}${price} (${brokerOrderId} at the broker)`
}

/** Resting orders alone: others fill or end at once, and the order waits for that. */
export function wouldMeet(
  { side, limitPrice }: Pick<OrderRequest, 'side' | 'limitPrice'>,
  other: Pick<OpenOrder, 'side' | 'orderType' | 'timeInForce' | 'limitPrice'>,
): boolean {
  if (executionSide(other.side) === executionSide(side) || !rests(other)) return false
  const least = leastLimit(other)
  if (least === null || limitPrice === null) return true
  return compare(limitPrice, least) * (executionSide(side) === 'BUY' ? 1 : -1) >= 0
}

/** Dollars a share; null where it may trade at any price, as the stop of an oco does. */
const leastLimit = ({
  orderType,
  limitPrice,
}: Pick<OpenOrder, 'orderType' | 'limitPrice'>): Decimal | null => (orderType === 'oco' ? null : limitPrice)

interface ClosingOrder {
  side: OrderSide
  orderType: AnyOrderType | 'moc'
  timeInForce: TimeInForce
  limitPrice: Decimal | null
}

/** @param lastPrice dollars a share; null when it is not known, and for an order that names its price */
export function oppositeOrderAction(
  order: ClosingOrder,
  book: Pick<SymbolBook, 'live' | 'asOf'>,
  lastPrice: Decimal | null,
): OppositeOrderAction {
  const sells = executionSide(order.side) === 'SELL'
  // Orders that the broker may not have yet are left to the broker's own check.
  const opposite = book.live.filter(
    ({ side, brokerOrderId }) =>
      brokerOrderId !== null && !isReducing(side) && executionSide(side) !== executionSide(order.side),
  )
  if (opposite.length === 0) return { what: 'clear' }
  const passing = opposite.find((one) => !standsStill(one, book))
  if (passing) return { what: 'wait', order: passing }
  if (order.orderType === 'limit') {
    const meets = ({ limitPrice }: LiveOrder): boolean =>
      limitPrice === null ||
      order.limitPrice === null ||
      compare(limitPrice, order.limitPrice) * (sells ? 1 : -1) >= 0
    const meeting = opposite.filter(meets)
    return meeting.length === 0 ? { what: 'clear' } : { what: 'cancel', orders: meeting }
  }
  const prices = opposite.map(({ limitPrice }) => limitPrice)
  if (
    order.orderType !== 'market' ||
    order.timeInForce !== 'day' ||
    lastPrice === null ||
    prices.includes(null)
  )
    return { what: 'cancel', orders: opposite }
  const nearest = prices.reduce((a, b) => (compare(a!, b!) * (sells ? 1 : -1) >= 0 ? a : b))!
  const limitPrice = sells ? add(nearest, tickAt(nearest)) : subtract(nearest, tickAt(nearest))
  const tradesAtOnce = compare(lastPrice, limitPrice) * (sells ? 1 : -1) > 0
  return tradesAtOnce ? { what: 'limit', limitPrice } : { what: 'cancel', orders: opposite }
}
