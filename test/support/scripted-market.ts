import { compare, multiply, subtract, add, type Decimal } from '#domain/money/decimal.ts'
import { executionSide, type OrderReport } from '#domain/order/order.ts'

/** Where an order that rests trades. */
export interface RestingTrade {
  /** The broker's id of the part that trades. */
  brokerOrderId: string
  /** Dollars a share. */
  price: Decimal
}

/**
 * Whether a resting order trades when the market does at a price, and at which price: a limit at the market's where that is better, a
 * stop at the market's. Null for an order that does not.
 *
 * @param best the best price for the position since the order rests, for a trailing stop
 */
export function tradeOf(order: OrderReport, price: Decimal, best: Decimal): RestingTrade | null {
  const sells = executionSide(order.side) === 'SELL'
  /** Whether a price is as good for the order as another, or better. */
  const reaches = (one: Decimal, other: Decimal): boolean => compare(one, other) * (sells ? 1 : -1) >= 0
  const at = (brokerOrderId: string): RestingTrade => ({ brokerOrderId, price })
  const stops = (stop: Decimal | null, limit: Decimal | null): boolean =>
    stop !== null && reaches(stop, price) && (limit === null || reaches(price, limit))
  const { orderType, limitPrice, stopPrice, stopLimitPrice, brokerOrderId, links } = order
  switch (orderType) {
    case 'market':
      return at(brokerOrderId)
    case 'limit':
      return reaches(price, limitPrice!) ? at(brokerOrderId) : null
    case 'stop':
      return stops(stopPrice, null) ? at(brokerOrderId) : null
    case 'stopLimit':
      return stops(stopPrice, limitPrice) ? at(brokerOrderId) : null
    case 'oco':
      if (reaches(price, limitPrice!)) return at(brokerOrderId)
      return stops(stopPrice, stopLimitPrice ?? null) ? at(links!.at(-1)!.brokerOrderId) : null
    case 'trailingStop': {
      const { trail } = order
      const distance = 'amount' in trail! ? trail.amount : multiply(multiply(best, trail!.percent), '0.01')
      return stops(sells ? subtract(best, distance) : add(best, distance), null) ? at(brokerOrderId) : null
    }
  }
}
