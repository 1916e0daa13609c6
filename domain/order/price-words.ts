import { type Decimal, figure } from '../money/decimal.ts'
import type { AnyOrderType } from './order.ts'
import { distanceInWords, type Distance } from '../exit/protection.ts'

/** Dollars a share. */
interface Priced<Price, Trail> {
  orderType: AnyOrderType
  limitPrice: Price | null
  stopPrice: Price | null
  stopLimitPrice?: Price | null
  trail?: Trail | null
}

/** Prices in words: "at market", "stop 220, limit 219", "limit 110 or stop 95, one cancels the other". */
export function orderPrices<Price, Trail>(
  { orderType, limitPrice, stopPrice, stopLimitPrice = null, trail = null }: Priced<Price, Trail>,
  priceInWords: (price: Price) => string,
  trailInWords: (trail: Trail) => string,
): string {
  const named = (name: string, price: Price | null): string =>
    price === null ? name : `${name} ${priceInWords(price)}`
  const limit = named('limit', limitPrice)
  const stop = named('stop', stopPrice)
  switch (orderType) {
    case 'market':
      return 'at market'
    case 'limit':
      return limit
    case 'stop':
      return stop
    case 'stopLimit':
      return `${stop}, ${limit}`
    case 'oco': {
      const its = stopLimitPrice === null ? '' : ` (${named('limit', stopLimitPrice)})`
      return `${limit} or ${stop}${its}, one cancels the other`
    }
    case 'trailingStop':
      return trail === null ? 'trailing stop' : `trailing stop ${trailInWords(trail)}`
  }
}

export const pricedInWords = (order: Priced<Decimal, Distance>): string =>
  orderPrices(order, figure, distanceInWords)
