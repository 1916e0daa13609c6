import { add, compare, divideDown, isPositive, multiply, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'
import type { OrderRequest } from './order.ts'

/** How brokers of a type count an order against the buying power of its account. */
export interface OrderCosts {
  /** Dollars that an order for a part of a share has to be worth at least. */
  leastPartialOrder: Decimal
  /** Percent above the ask at which a short sale counts, whatever its limit below that. */
  shortAboveAsk: Decimal
  /**
   * Percent that an order without a limit may cost more than the ask that was read before it: where an amount is cut to the
   * buying power, so much is left for it.
   */
  room: Decimal
}

/** The money that an account has to open positions with, in dollars, as its broker tells it: without what open orders hold. */
export interface Funds {
  buyingPower: Decimal
  /** For assets that are not bought on margin; null where the broker tells none. */
  nonMarginableBuyingPower: Decimal | null
}

type CostedOrder = Pick<OrderRequest, 'side' | 'limitPrice' | 'stopPrice'>

/** The buying power that counts for an asset. */
export const buyingPowerFor = (
  { buyingPower, nonMarginableBuyingPower }: Funds,
  isMarginable: boolean,
): Decimal => (isMarginable ? buyingPower : (nonMarginableBuyingPower ?? buyingPower))

/**
 * Dollars of buying power that a share of an order takes: its limit, its stop price, or the ask; of a short sale what it would
 * cost to buy back. Null where that is not known.
 *
 * @param ask what a share costs at this moment; null when it is not known
 */
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

/**
 * The most shares that a buying power pays for.
 *
 * @param cost of a share, in dollars
 * @param room percent by which that may be more by the time the order is there
 * @param places decimals of a share
 */
export const affordableShares = (
  cost: Decimal,
  buyingPower: Decimal,
  { room, places }: { room: Decimal; places: number },
): Decimal =>
  isPositive(buyingPower) && isPositive(cost) ? divideDown(buyingPower, plusPercent(cost, room), places) : '0'

/** Why an order asks for more than there is; null when there is enough. */
export const fundsFault = (needed: Decimal, buyingPower: Decimal): string | null =>
  compare(needed, buyingPower) > 0 || !isPositive(buyingPower) ? shortOfFunds(needed, buyingPower) : null

/** That an order needs more than there is, by its broker's figures or ours. */
export const shortOfFunds = (needed: Decimal, buyingPower: Decimal): string =>
  `The order needs ${dollarAmount(needed)} of buying power, and the account has ${dollarAmount(buyingPower)}`

const plusPercent = (price: Decimal, percent: Decimal): Decimal =>
  add(price, multiply(multiply(price, percent), '0.01'))
