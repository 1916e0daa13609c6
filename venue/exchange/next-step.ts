import { compare, isZero, smaller, subtract, type Decimal } from '#domain/decimal.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import type { MarketPhase } from '../market-hours.ts'
import type { Quote } from '../prices.ts'
import { executablePrice, reachesStop } from './matching.ts'
import { bestSince } from './trailing.ts'

export type Step =
  | { kind: 'none' | 'open' | 'trigger' | 'cancel' | 'expire' | 'reject' }
  /** The price that a trailing stop follows; dollars a share. */
  | { kind: 'trail'; hwm: Decimal }
  /** qty null: all that is open, which an order in dollars learns from the price. */
  | { kind: 'fill'; price: Decimal; qty: Decimal | null }

const NONE: Step = { kind: 'none' }
/** Cancelled as far as they cannot trade at once, or in their auction. */
const IMMEDIATE: ReadonlySet<VenueOrder['timeInForce']> = new Set(['ioc', 'fok', 'opg', 'cls'])

/** An auction has one price at one instant. */
export const isAuctionOrder = ({ timeInForce }: Pick<VenueOrder, 'timeInForce'>): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

/** Pure. */
export function nextStep(order: VenueOrder, now: number, phase: MarketPhase, quote: Quote): Step {
  if (isDue(order.forcedFillAt, now)) return { kind: 'fill', price: forcedPrice(order, quote), qty: null }
  if (order.closedAt !== null) return NONE
  if (isDue(order.rejectAt, now)) return { kind: 'reject' }
  if (isDue(order.cancelAt, now)) return { kind: 'cancel' }
  if (now >= order.expiresAt) return { kind: 'expire' }
  if (order.waitsFor === 'entry') return NONE
  if (now < order.activeAt || !mayTrade(order, phase)) return NONE
  if (order.status === 'accepted' || order.status === 'pending_new') return { kind: 'open' }
  const hwm = bestSince(order, quote)
  if (hwm !== order.hwm) return { kind: 'trail', hwm: hwm! }
  if (order.fillableFrom !== null && now < order.fillableFrom) return NONE
  if (reachesStop(order, quote)) return { kind: 'trigger' }
  if (order.waitsFor === 'trigger') return NONE
  const price = executablePrice(order, quote)
  const qty = price === null ? '0' : qtyOnOffer(order, now)
  if (price !== null && qty !== '0') return { kind: 'fill', price, qty }
  return IMMEDIATE.has(order.timeInForce) ? { kind: 'cancel' } : NONE
}

function mayTrade(order: VenueOrder, phase: MarketPhase): boolean {
  return isAuctionOrder(order) || phase === 'regular' || (phase === 'extended' && order.extendedHours)
}

/** Null: all that is open; a scripted partial fill leaves less. */
function qtyOnOffer(order: VenueOrder, now: number): Decimal | null {
  if (order.firstFillQty === null || order.qty === null || order.timeInForce === 'fok') return null
  if (isZero(order.filledQty)) return smaller(order.firstFillQty, subtract(order.qty, order.filledQty))
  return isDue(order.heldUntil, now) ? null : '0'
}

/** Regardless of the market. */
function forcedPrice(order: VenueOrder, quote: Quote): Decimal {
  const touch = order.side === 'buy' ? quote.ask : quote.bid
  if (order.limitPrice === null) return touch
  const isBetter = compare(touch, order.limitPrice) === (order.side === 'buy' ? -1 : 1)
  return isBetter ? touch : order.limitPrice
}

const isDue = (instant: number | null, now: number): boolean => instant !== null && now >= instant
