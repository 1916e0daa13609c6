import { larger, smaller, type Decimal } from './decimal.ts'
import type { OrderTerms } from './order.ts'
import type { TradeSide } from './profit.ts'
import type { Action } from './signal.ts'

/** Dollars a share for whoever buys at this moment, and for whoever sells; null where it is not known. */
export interface AtMarket {
  buyAt: Decimal | null
  sellAt: Decimal | null
}

export const sideOpenedBy = (action: Action): TradeSide => (action === 'openLong' ? 'LONG' : 'SHORT')

/**
 * Dollars a share at which an entry is likely to be filled: the market's price, no worse than its limit, and no better than a stop
 * price that is still to be reached. Null where no price is known.
 */
export function likelyFill(
  { action, limitPrice, stopPrice }: Pick<OrderTerms, 'limitPrice' | 'stopPrice'> & { action: Action },
  { buyAt, sellAt }: AtMarket,
): Decimal | null {
  const buys = action === 'openLong' || action === 'closeShort'
  const market = buys ? buyAt : sellAt
  const [worse, better] = buys ? [larger, smaller] : [smaller, larger]
  const reached = stopPrice === null || market === null ? (stopPrice ?? market) : worse(stopPrice, market)
  return limitPrice === null || reached === null ? (limitPrice ?? reached) : better(limitPrice, reached)
}
