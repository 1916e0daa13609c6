import { compare, divideDown, multiply, round, subtract, add, type Decimal } from '#domain/money/decimal.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import type { Quote } from '../prices.ts'

type Trailing = Pick<VenueOrder, 'side' | 'trailPrice' | 'trailPercent'>

export function bestSince(
  order: Pick<VenueOrder, 'side' | 'type' | 'hwm' | 'triggeredAt'>,
  { last }: Quote,
): Decimal | null {
  if (order.type !== 'trailing_stop' || order.triggeredAt !== null) return order.hwm
  if (order.hwm === null) return last
  return compare(last, order.hwm) === (order.side === 'sell' ? 1 : -1) ? last : order.hwm
}

/** Dollars a share, in steps of the exchange. */
export function trailingStopAt({ side, trailPrice, trailPercent }: Trailing, hwm: Decimal): Decimal {
  const distance = trailPrice ?? divideDown(multiply(hwm, trailPercent!), '100', STOP_PLACES)
  const stop = side === 'sell' ? subtract(hwm, distance) : add(hwm, distance)
  return round(stop, compare(stop, '1') >= 0 ? 2 : 4)
}

const STOP_PLACES = 9
