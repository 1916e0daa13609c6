import { compare, larger, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { CrossedLevel, Protection } from '#domain/exit/protection.ts'
import type { PlanKind } from './plan.ts'

/** Dollars a share of the levels of a plan, for a long position; a short one has them as far on the other side of 100. */
export interface Levels {
  stop: Decimal | null
  target: Decimal | null
  /** The stop follows the best price, from the fill on or from a profit on. */
  trails: 'at once' | 'later' | null
  breaksEven: boolean
  until: Protection['until']
}

const NONE = { stop: null, target: null, trails: null, breaksEven: false, until: 'closed' } as const
const STOP = { ...NONE, stop: '95' } as const
const TARGET = { ...NONE, target: '110' } as const
export const LEVELS: Readonly<Record<PlanKind, Levels>> = {
  stop: STOP,
  'stop and target': { ...STOP, target: '110', breaksEven: true },
  trail: { ...NONE, trails: 'at once' },
  'trail later': { ...NONE, trails: 'later' },
  'trail and target': { ...TARGET, trails: 'at once' },
  target: TARGET,
  'for the session': { ...STOP, until: 'session' },
  'stop and target for the session': { ...STOP, target: '110', until: 'session' },
}

const TRAIL_AFTER = '8'
const BREAK_EVEN_AFTER = '3'

/** For a short position as far on the other side of 100. */
export const onSide = (price: Decimal, side: TradeSide): Decimal =>
  side === 'LONG' ? price : subtract('200', price)

export function levelsOfSignal(
  { stop, target, trails, breaksEven, until }: Levels,
  side: TradeSide,
): Protection {
  const price = (of: Decimal | null) => of && { price: onSide(of, side) }
  return {
    stop: price(stop),
    target: price(target),
    trail: trails && { percent: '5', ...(trails === 'later' && { after: { amount: TRAIL_AFTER } }) },
    breakEven: breaksEven ? { amount: BREAK_EVEN_AFTER } : null,
    until,
  }
}

/** A position with a plan, as far as a life knows of it. */
export interface Protected {
  levels: Levels
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
  { levels: { stop, target, trails, breaksEven }, side, average, highest }: Protected,
  price: Decimal,
): CrossedLevel['level'] | null {
  if (target !== null && compare(price, target) >= 0) return 'target'
  const cost = onSide(average, side)
  const best = highest === null ? cost : larger(highest, cost)
  const profit = subtract(best, cost)
  const stops: Decimal[] = [
    ...(stop === null ? [] : [stop]),
    // Five percent of the best price of a short position are less than 5.5 dollars here.
    ...(trails === 'at once' || (trails === 'later' && compare(profit, TRAIL_AFTER) >= 0)
      ? [subtract(best, '5.55')]
      : []),
    ...(breaksEven && compare(profit, BREAK_EVEN_AFTER) >= 0 ? [cost] : []),
  ]
  return stops.some((one) => compare(price, one) <= 0) ? 'stop' : null
}
