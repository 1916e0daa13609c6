import { costOfShare, type OrderCosts } from './buying-power.ts'
import { multiply, negate, type Decimal } from './decimal.ts'
import type { OrderRequest } from './order.ts'

export interface Market {
  bid: Decimal | null
  ask: Decimal | null
  last: Decimal | null
}

type Sized = Pick<OrderRequest, 'side' | 'quantity' | 'limitPrice' | 'stopPrice'>

const buys = ({ side }: Pick<Sized, 'side'>): boolean => side === 'BUY' || side === 'BUY_TO_COVER'

export const signedQuantity = (order: Sized): Decimal =>
  buys(order) ? order.quantity : negate(order.quantity)

/** Dollars at its limit or stop, or else at the market's price; of a short sale its buying power. */
export function costOf(
  order: Sized | null,
  market: Market | null,
  costs: Pick<OrderCosts, 'shortAboveAsk'>,
): Decimal | null {
  if (order === null) return null
  const offered = (order.side === 'SELL' ? market?.bid : market?.ask) ?? market?.last ?? null
  const price = costOfShare(order, offered, costs)
  return price === null ? null : multiply(order.quantity, price)
}
