import { larger, smaller, type Decimal } from './decimal.ts'
import type { OrderTerms } from './order.ts'
import type { TradeSide } from './profit.ts'
import type { Action } from './signal.ts'

export interface AtMarket {
  buyAt: Decimal | null
  sellAt: Decimal | null
}

export const sideOpenedBy = (action: Action): TradeSide => (action === 'openLong' ? 'LONG' : 'SHORT')

/** The market's price, no worse than the limit, and no better than a stop price still to be reached. */
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
