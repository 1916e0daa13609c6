import { add, compare, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import { reject } from '../rejection.ts'
import { checkIncrement, isFractional, type OrderTicket } from './ticket-rules.ts'

/** Least dollars a share between a level and its reference price. */
const LEAST_DISTANCE = '0.01'

/** Throws a Rejection. */
export function checkLevels(ticket: OrderTicket): void {
  const { orderClass, takeProfit, stopLoss } = ticket
  if (orderClass === '') {
    if (takeProfit === null && stopLoss === null) return
    throw reject.invalidParameter('simple orders require no take_profit or stop_loss')
  }
  if (isFractional(ticket)) throw reject.unprocessable('fractional orders must be simple orders')
  if (ticket.type === 'trailing_stop') {
    throw reject.unprocessable('trailing_stop orders must be simple orders')
  }
  if (ticket.extendedHours) throw reject.unprocessable('extended hours orders must be simple orders')
  if (ticket.timeInForce !== 'day' && ticket.timeInForce !== 'gtc') {
    throw reject.unprocessable(`${orderClass} orders must be DAY or GTC orders`)
  }
  if (orderClass === 'oco' && ticket.type !== 'limit') {
    throw reject.unprocessable('oco orders must be limit orders')
  }
  if (orderClass === 'oto') {
    if (takeProfit === null && stopLoss === null)
      throw reject.invalidParameter('oto orders require take_profit.limit_price or stop_loss.stop_price')
    if (takeProfit !== null && stopLoss !== null)
      throw reject.unprocessable('oto orders accept only one of take_profit or stop_loss')
  } else {
    if (takeProfit === null)
      throw reject.invalidParameter(`${orderClass} orders require take_profit.limit_price`)
    if (stopLoss === null) throw reject.invalidParameter(`${orderClass} orders require stop_loss.stop_price`)
  }
  checkIncrement('take_profit.limit_price', takeProfit)
  checkIncrement('stop_loss.stop_price', stopLoss?.stopPrice ?? null)
  checkIncrement('stop_loss.limit_price', stopLoss?.limitPrice ?? null)
  checkSides(exitSideOf(ticket), takeProfit, stopLoss?.stopPrice ?? null)
}

export const exitSideOf = ({
  orderClass,
  side,
}: Pick<OrderTicket, 'orderClass' | 'side'>): VenueOrder['side'] =>
  orderClass === 'oco' ? side : side === 'buy' ? 'sell' : 'buy'

/** Throws a Rejection for levels on the wrong sides of each other. */
export function checkSides(
  exitSide: VenueOrder['side'],
  takeProfit: Decimal | null,
  stopPrice: Decimal | null,
): void {
  if (takeProfit === null || stopPrice === null) return
  const order = compare(takeProfit, stopPrice)
  if (exitSide === 'sell' && order <= 0)
    throw reject.unprocessable('take_profit.limit_price must be > stop_loss.stop_price')
  if (exitSide === 'buy' && order >= 0)
    throw reject.unprocessable('take_profit.limit_price must be < stop_loss.stop_price')
}

/** Basis is the entry's price, or the last trade. A reached target of an open position fills at once. */
export function checkBasePrice(ticket: OrderTicket, last: Decimal): void {
  if (ticket.orderClass === '') return
  const isExit = ticket.orderClass === 'oco'
  const basePrice = (isExit ? null : (ticket.limitPrice ?? ticket.stopPrice)) ?? last
  const sells = exitSideOf(ticket) === 'sell'
  const above = add(basePrice, LEAST_DISTANCE)
  const below = subtract(basePrice, LEAST_DISTANCE)
  const refuse = (name: string, bound: string) =>
    reject.levelBeyondPrice(`${name} must be ${bound}`, basePrice)
  const { takeProfit, stopLoss } = ticket
  if (stopLoss !== null) {
    const { stopPrice } = stopLoss
    if (sells && compare(stopPrice, below) > 0) throw refuse('stop_loss.stop_price', '<= base_price - 0.01')
    if (!sells && compare(stopPrice, above) < 0) throw refuse('stop_loss.stop_price', '>= base_price + 0.01')
  }
  if (takeProfit !== null && !isExit) {
    if (sells && compare(takeProfit, above) < 0)
      throw refuse('take_profit.limit_price', '>= base_price + 0.01')
    if (!sells && compare(takeProfit, below) > 0)
      throw refuse('take_profit.limit_price', '<= base_price - 0.01')
  }
}
