import { compare, larger, subtract, type Decimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/profit.ts'
import type { CrossedLevel, Protection } from '#domain/protection.ts'
import type { PlanKind } from './plan.ts'

/** Dollars of the levels of all plans, for a long position; a short one has them as far on the other side of 100. */
const STOP: Decimal = '95'
const TARGET: Decimal = '110'
const AFTER = '8'
const BREAK_EVEN_AFTER = '3'

/** For a short position as far on the other side of 100. */
export const onSide = (price: Decimal, side: TradeSide): Decimal =>
  side === 'LONG' ? price : subtract('200', price)

export function planOf(kind: PlanKind, side: TradeSide): Protection {
  const price = (of: Decimal): { price: Decimal } => ({ price: onSide(of, side) })
  return {
    stop: hasStop(kind) ? price(STOP) : null,
    target: hasTarget(kind) ? price(TARGET) : null,
    trail: hasTrail(kind)
      ? { percent: '5', ...(kind === 'trail later' && { after: { amount: AFTER } }) }
      : null,
    breakEven: kind === 'stop and target' ? { amount: BREAK_EVEN_AFTER } : null,
    until: kind === 'for the session' ? 'session' : 'closed',
  }
}

const hasTrail = (kind: PlanKind): boolean => kind.startsWith('trail')
const hasStop = (kind: PlanKind): boolean => kind !== 'target' && !hasTrail(kind)
const hasTarget = (kind: PlanKind): boolean => kind.endsWith('target')

/** A position with a plan, as far as a life knows of it. */
export interface Protected {
  kind: PlanKind
  side: TradeSide
  /** Dollars a share that the entry was filled at on average. */
  average: Decimal
  /** The best price at which the market has stayed while it was held, in dollars a share of a long position; null for none. */
  highest: Decimal | null
}

/**
 * The level that the market has reached in any case when it stays at a price, reckoned once more and apart from the code that is
 * judged; null where none is reached, or where that depends on prices of which the watch may not have heard.
 *
 * @param price dollars a share of a long position
 */
export function reachedAt(
  { kind, side, average, highest }: Protected,
  price: Decimal,
): CrossedLevel['level'] | null {
  if (hasTarget(kind) && compare(price, TARGET) >= 0) return 'target'
  const cost = onSide(average, side)
  const best = highest === null ? cost : larger(highest, cost)
  const profit = subtract(best, cost)
  const stops: Decimal[] = [
    ...(hasStop(kind) ? [STOP] : []),
    // Five percent of the best price of a short position are less than 5.5 dollars here.
    ...(hasTrail(kind) && (kind !== 'trail later' || compare(profit, AFTER) >= 0)
      ? [subtract(best, '5.55')]
      : []),
    ...(kind === 'stop and target' && compare(profit, BREAK_EVEN_AFTER) >= 0 ? [cost] : []),
  ]
  return stops.some((stop) => compare(price, stop) <= 0) ? 'stop' : null
}
