import type { ActingPrice } from './acting-price.ts'
import { compare, divideDown, larger, magnitude, multiply, subtract, type Decimal } from '../money/decimal.ts'
import type { HeldExit } from './kept-levels.ts'
import { tickAt } from '../money/price-tick.ts'
import {
  betterBy,
  betterOf,
  crossedLevel,
  isBetter,
  restingOrder,
  stopNow,
  targetPrice,
  type CrossedLevel,
  type ProtectiveAbilities,
  type RestingOrder,
} from './protection.ts'

/** Effects of an acting price; `worker/feed/protection-watch.ts` applies them. */

/** Each move makes another order at the broker, and readers follow the chain: then the stop is placed again. */
export const MOST_MOVES = 40
/** Smallest move of a trailing stop, relative to its distance. */
const LEAST_STEP = '0.1'

export interface WatchedExit extends HeldExit<RestingOrder | null> {
  quantity: Decimal
  abilities: ProtectiveAbilities
  /** Only an order that keeps the levels is moved or replaced. */
  isOfProtection: boolean
  /** The broker takes no order of the levels yet. */
  entryWorks: boolean
  moves: number
}

export interface Found {
  best: Decimal
  crossed: CrossedLevel | null
  move: Move | null
  mustBePlaced: boolean
}

export interface Move {
  stop: Decimal
  /** Break-even, which moves once, comes first. */
  isUrgent: boolean
  /** The stop's lag, relative to its price. */
  behind: Decimal
}

export function look(watched: WatchedExit, { improves, triggers, market }: Acts): Found {
  const { protection, position, quantity, abilities, kept, moves, isOfProtection, entryWorks } = watched
  const { side } = position
  const best = improves === null ? watched.best : betterOf(side, watched.best, improves)
  const nothing: Found = { best, crossed: null, move: null, mustBePlaced: false }
  const reached = (price: Decimal | null) =>
    price === null ? null : crossedLevel(protection, position, best, kept, price)
  const crossed = reached(triggers) ?? reached(improves)
  if (crossed?.level === 'stop' || !isOfProtection || (kept === null && entryWorks))
    return { ...nothing, crossed }
  const wanted = restingOrder(protection, position, best, { quantity, abilities, resting: kept })
  if (wanted?.orderType !== kept?.orderType) return { ...nothing, crossed, mustBePlaced: wanted !== null }
  const move = moveOf(watched, best, wanted, market)
  return { best, crossed, move, mustBePlaced: moves >= MOST_MOVES }
}

export type Acts = Pick<ActingPrice, 'improves' | 'triggers' | 'market'>

/** Only nearer to the market, a tick beyond it, and worth a request. */
function moveOf(
  { protection, position, kept }: WatchedExit,
  best: Decimal,
  wanted: RestingOrder | null,
  market: Decimal | null,
): Move | null {
  const { side } = position
  const [to, from] = [wanted?.stopPrice ?? null, kept?.stopPrice ?? null]
  if (to === null || from === null || market === null || !isBetter(side, to, from)) return null
  const tick = tickAt(to)
  if (isBetter(side, betterBy(side, to, tick), market)) return null
  const { by } = stopNow(protection, position, best)!
  const step = magnitude(subtract(to, from))
  const least = larger(tick, multiply(magnitude(subtract(best, to)), LEAST_STEP))
  if (by === 'trail' && compare(step, least) < 0) return null
  return { stop: to, isUrgent: by === 'breakEven', behind: divideDown(step, to, 9) }
}

export const firstMove = <Of extends { move: Move | null }>(waiting: readonly Of[]): Of | null =>
  waiting.reduce<Of | null>(
    (first, next) =>
      next.move !== null && (first === null || isBefore(next.move, first.move!)) ? next : first,
    null,
  )

const isBefore = (one: Move, other: Move): boolean =>
  one.isUrgent === other.isUrgent ? compare(one.behind, other.behind) > 0 : one.isUrgent

export function isStillALevel(
  { protection, position, best }: Pick<WatchedExit, 'protection' | 'position' | 'best'>,
  { level, at }: CrossedLevel,
): boolean {
  const now =
    level === 'target' ? targetPrice(protection, position) : stopNow(protection, position, best)?.price
  return now != null && compare(now, at) === 0
}
