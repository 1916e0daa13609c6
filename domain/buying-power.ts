import { add, compare, divideDown, isPositive, multiply, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'
import type { OrderRequest } from './order.ts'

export interface OrderCosts {
  /** Dollars that an order for a part of a share has to be worth. */
  leastPartialOrder: Decimal
  /** Percent above the ask at which a short sale counts, whatever its limit below that. */
  shortAboveAsk: Decimal
  /** Percent left where an amount is cut to the buying power: an order without a limit may cost more than the ask. */
  room: Decimal
}

export interface Funds {
  buyingPower: Decimal
  nonMarginableBuyingPower: Decimal | null
}

type CostedOrder = Pick<OrderRequest, 'side' | 'limitPrice' | 'stopPrice'>

export const buyingPowerFor = (
  { buyingPower, nonMarginableBuyingPower }: Funds,
  isMarginable: boolean,
): Decimal => (isMarginable ? buyingPower : (nonMarginableBuyingPower ?? buyingPower))

/** Dollars: limit, stop price or ask; of a short sale the cost of buying it back. Null where it is not known. */
export function costOfShare(
  { side, limitPrice, stopPrice }: CostedOrder,
  ask: Decimal | null,
  { shortAboveAsk }: Pick<OrderCosts, 'shortAboveAsk'>,
): Decimal | null {
  if (side !== 'SELL_SHORT') return limitPrice ?? stopPrice ?? ask
  if (ask === null) return null
  const buyBack = plusPercent(ask, shortAboveAsk)
  return limitPrice !== null && compare(limitPrice, buyBack) > 0 ? limitPrice : buyBack
}

/** `cost`: dollars of a share. `room`: percent by which that may rise. `places`: decimals of a share. */
export const affordableShares = (
  cost: Decimal,
  buyingPower: Decimal,
  { room, places }: { room: Decimal; places: number },
): Decimal =>
  isPositive(buyingPower) && isPositive(cost) ? divideDown(buyingPower, plusPercent(cost, room), places) : '0'

export const fundsFault = (needed: Decimal, buyingPower: Decimal): string | null =>
  compare(needed, buyingPower) > 0 || !isPositive(buyingPower) ? shortOfFunds(needed, buyingPower) : null

export const shortOfFunds = (needed: Decimal, buyingPower: Decimal): string =>
  `The order needs ${dollarAmount(needed)} of buying power, and the account has ${dollarAmount(buyingPower)}`

const plusPercent = (price: Decimal, percent: Decimal): Decimal =>
  add(price, multiply(multiply(price, percent), '0.01'))
