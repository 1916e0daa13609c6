import {
  add,
  compare,
  divideDown,
  isPositive,
  multiply,
  type Decimal,
  negate,
  magnitude,
  subtract,
  dollarAmount,
} from '../money/decimal.ts'
import type { OrderRequest } from '../order/order.ts'
import { DAY_MS } from '../time/instants.ts'

export interface OrderCosts {
  /** Least dollars of an order with a part of a share. */
  leastPartialOrder: Decimal
  /** Percent above the ask at which a short sale counts, despite a lower limit. */
  shortAboveAsk: Decimal
  /** Percent left free in an amount cut to the buying power: without a limit it may cost more. */
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

/** Dollars a share that an order costs: limit, stop price or ask; for a short sale the buying back. Null if unknown. */
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

/** `cost`: dollars a share. `room`: percent of its rise. `places`: decimals. */
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

export interface Market {
  bid: Decimal | null
  ask: Decimal | null
  last: Decimal | null
}

type Sized = Pick<OrderRequest, 'side' | 'quantity' | 'limitPrice' | 'stopPrice'>

const buys = ({ side }: Pick<Sized, 'side'>): boolean => side === 'BUY' || side === 'BUY_TO_COVER'

export const signedQuantity = (order: Sized): Decimal =>
  buys(order) ? order.quantity : negate(order.quantity)

/** Dollars at limit, stop or market; for a short sale its buying power. */
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

/** The last limit against a runaway, far beyond an account's limits. */
export interface OrderCaps {
  /** Of one account in a clock minute; opening and closing orders count apart. */
  perMinute: number
  /** Opening orders in a day of the exchange. */
  perDay: number
  /** A second entry order needs a definitive end of the first. */
  entriesPerSignal: number
}

export const ORDER_CAPS: OrderCaps = { perMinute: 1_000, perDay: 20_000, entriesPerSignal: 3 }

/**
 * Brokers have reported four times the equity for ten minutes, and none for a moment. A reading within {@link
 * EQUITY_MOVE} percent (wider for each day since) is believed. Another needs a second one that agrees {@link
 * AGREES_AFTER} milliseconds later, because gaps and transfers happen. More than twice or less than half must last for
 * {@link HARD_BOUND_AFTER}.
 */
const EQUITY_MOVE = 25
const AGREES_AFTER = 3_000
const HARD_BOUND_AFTER = 15 * 60_000
const REPORTED_FOR = 3_600_000

export interface EquityRecord {
  believed: Decimal
  believedAt: string
  doubted: Decimal | null
  doubtBeganAt: string | null
}

export function noteEquity(record: EquityRecord | null, reading: Decimal, at: string): EquityRecord {
  const believe = (doubtBeganAt: string | null): EquityRecord => ({
    believed: reading,
    believedAt: at,
    doubted: null,
    doubtBeganAt,
  })
  // Clocks may jump back: a later reading is newer.
  if (record === null || !isPositive(record.believed)) return believe(null)
  const { believed, doubted, doubtBeganAt } = record
  const days = Math.max(0, Math.floor(between(record.believedAt, at) / DAY_MS))
  if (isWithin(reading, believed, EQUITY_MOVE * (1 + days)))
    return believe(doubted === null ? doubtBeganAt : null)
  const agrees = doubted !== null && doubtBeganAt !== null && isWithin(reading, doubted, EQUITY_MOVE)
  if (!agrees) return { ...record, doubted: reading, doubtBeganAt: at }
  const stands = between(doubtBeganAt, at)
  return stands >= (isBeyondBound(reading, believed) ? HARD_BOUND_AFTER : AGREES_AFTER)
    ? believe(doubtBeganAt)
    : { ...record, doubted: reading }
}

export function equityDoubt({ believed, believedAt, doubted }: EquityRecord): string | null {
  if (doubted === null) return null
  return `The broker shows an equity of ${dollarAmount(doubted)} where it showed ${dollarAmount(believed)} at ${believedAt}`
}

export function equityMove({ believed, doubted, doubtBeganAt }: EquityRecord, at: string): string | null {
  if (doubted !== null || doubtBeganAt === null || between(doubtBeganAt, at) > REPORTED_FOR) return null
  return `The equity moved at ${doubtBeganAt} by more than ${EQUITY_MOVE} %, and has been about ${dollarAmount(believed)} since`
}

const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

const isWithin = (reading: Decimal, base: Decimal, percent: number): boolean =>
  compare(multiply(magnitude(subtract(reading, base)), '100'), multiply(magnitude(base), `${percent}`)) <= 0

const isBeyondBound = (reading: Decimal, believed: Decimal): boolean =>
  compare(reading, multiply(believed, '2')) > 0 || compare(multiply(reading, '2'), believed) < 0
