import { compare, type Decimal } from '#domain/money/decimal.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import type { Quote } from '../prices.ts'

type Matchable = Pick<VenueOrder, 'side' | 'type' | 'limitPrice' | 'stopPrice' | 'triggeredAt'>

/** Price for any number of shares; null when the order cannot trade now. */
export function executablePrice(order: Matchable, quote: Quote): Decimal | null {
  if (isStop(order) && order.triggeredAt === null) return null
  const touch = order.side === 'buy' ? quote.ask : quote.bid
  if (order.limitPrice === null) return touch
  const distance = compare(touch, order.limitPrice)
  return (order.side === 'buy' ? distance <= 0 : distance >= 0) ? touch : null
}

export function reachesStop(order: Matchable, quote: Quote): boolean {
  if (!isStop(order) || order.triggeredAt !== null || order.stopPrice === null) return false
  const distance = compare(quote.last, order.stopPrice)
  return order.side === 'buy' ? distance >= 0 : distance <= 0
}

export function washTradeReason(incoming: Matchable, existing: Matchable): string | null {
  if (existing.limitPrice === null) return `opposite side ${existing.type} order exists`
  if (incoming.limitPrice === null) return 'opposite side limit order exists'
  const [buy, sell] = incoming.side === 'buy' ? [incoming, existing] : [existing, incoming]
  const crosses = compare(buy.limitPrice!, sell.limitPrice!) >= 0
  return crosses ? 'opposite side limit order exists' : null
}

const isStop = ({ type }: Matchable): boolean =>
  type === 'stop' || type === 'stop_limit' || type === 'trailing_stop'
