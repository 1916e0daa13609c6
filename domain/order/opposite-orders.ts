import { add, compare, subtract, type Decimal, figure } from '../money/decimal.ts'
import {
  executionSide,
  isReducing,
  type AnyOrderType,
  type OrderReport,
  type OrderRequest,
  type OrderSide,
  type TimeInForce,
} from './order.ts'
import { tickAt } from '../money/price-tick.ts'
import { rests, isFrozen, type LiveOrder, type SymbolState, nameOfOrder } from '../position/symbol-state.ts'
import type { MarketPhase } from '../time/session.ts'
import { ENTRY_SIDE, isOpening, type SignalTerms } from '../signal/signal.ts'

/** Brokers reject possible wash trades: market and stop orders beside an opposite order, and limits that meet it. */
export type OppositeOrderAction =
  | { what: 'clear' }
  /** Instead of a market order: dollars a share, trades at once. */
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
  return `The broker refuses an order that could trade with your own open order (wash trade): ${side} ${figure(quantity)} ${symbol} ${orderType}${price} (${brokerOrderId} at the broker)`
}

/** Only resting orders: others fill or end at once. */
function wouldMeet(
  { side, limitPrice }: Pick<OrderRequest, 'side' | 'limitPrice'>,
  other: Pick<OpenOrder, 'side' | 'orderType' | 'timeInForce' | 'limitPrice'>,
): boolean {
  if (executionSide(other.side) === executionSide(side) || !rests(other)) return false
  const least = leastLimit(other)
  if (least === null || limitPrice === null) return true
  return compare(limitPrice, least) * (executionSide(side) === 'BUY' ? 1 : -1) >= 0
}

/** Dollars a share; null at any price, as an OCO's stop. */
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

/** @param lastPrice dollars a share; null if unknown or not needed */
export function oppositeOrderAction(
  order: ClosingOrder,
  symbolState: Pick<SymbolState, 'live' | 'asOf'>,
  lastPrice: Decimal | null,
): OppositeOrderAction {
  const sells = executionSide(order.side) === 'SELL'
  // The broker checks orders still in flight.
  const opposite = symbolState.live.filter(
    ({ side, brokerOrderId }) =>
      brokerOrderId !== null && !isReducing(side) && executionSide(side) !== executionSide(order.side),
  )
  if (opposite.length === 0) return { what: 'clear' }
  const passing = opposite.find((one) => !isFrozen(one, symbolState))
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

type Entry = Pick<SignalTerms, 'action' | 'symbol' | 'orderType' | 'timeInForce' | 'limitPrice'>

export type StepAside =
  | { what: 'clear' }
  /** Exits, placed again once the entry has ended. */
  | { what: 'cancel'; orders: LiveOrder[] }
  /** A resting entry would leave the shares unprotected. */
  | { what: 'refused'; detail: string }

/**
 * Only exits are cancelled, for an entry that trades or ends at once.
 * @param phase null if unknown
 */
export function stepAside(entry: Entry, working: readonly LiveOrder[], phase: MarketPhase | null): StepAside {
  const inTheWay = exitsInTheWay(entry, working)
  if (inTheWay.length === 0) return { what: 'clear' }
  const isForAuction = inTheWay.some(({ timeInForce }) => timeInForce === 'cls' || timeInForce === 'opg')
  if (endsAtOnce(entry, phase) && !isForAuction) return { what: 'cancel', orders: inTheWay }
  const isOne = inTheWay.length === 1 && inTheWay[0]!.orderType !== 'oco'
  const names = inTheWay.map(nameOfOrder).join(', ')
  const can = isForAuction
    ? 'An order for the auction is not cancelled, because the broker may accept no other before it'
    : `${isOne ? 'It is' : 'They are'} cancelled only for an entry that trades or ends at once: send it at market while the market is open, or with timeInForce ioc or fok`
  return {
    what: 'refused',
    detail: `Your own ${kindsOf(inTheWay)} of ${entry.symbol} ${isOne ? 'is' : 'are'} in the way: ${names}. ${can}`,
  }
}

/** None beside another order of ours. */
export function exitsInTheWay(entry: Entry, working: readonly LiveOrder[]): LiveOrder[] {
  if (!isOpening(entry.action)) return []
  const order = { side: ENTRY_SIDE[entry.action], limitPrice: entry.limitPrice }
  const met = working.filter((other) => wouldMeet(order, other))
  return met.every(({ role }) => role === 'exit') ? met : []
}

const endsAtOnce = ({ orderType, timeInForce }: Entry, phase: MarketPhase | null): boolean =>
  timeInForce === 'ioc' ||
  timeInForce === 'fok' ||
  (orderType === 'market' && timeInForce !== 'opg' && timeInForce !== 'cls' && phase === 'regular')

const EXIT_KINDS: Partial<Record<LiveOrder['orderType'], string>> = {
  oco: 'stop and target',
  limit: 'target',
}

const kindsOf = (orders: readonly LiveOrder[]): string => {
  const kinds = new Set(orders.map(({ orderType }) => EXIT_KINDS[orderType] ?? 'stop'))
  return kinds.size > 1 ? 'stop and target' : [...kinds][0]!
}
