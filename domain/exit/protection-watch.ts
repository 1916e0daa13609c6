import type { ActingPrice } from './acting-price.ts'
import {
  compare,
  divideDown,
  larger,
  magnitude,
  multiply,
  subtract,
  type Decimal,
} from '../common/decimal.ts'
import type { HeldExit } from './kept-levels.ts'
import { tickAt } from '../order/price-tick.ts'
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

/** What an acting price leads to: pure; `worker/feed/protection-watch.ts` acts on it. */

/** Then a stop is placed anew: the broker makes another order of each move, and readers go through all of them. */
export const MOST_MOVES = 40
/** A trailing stop is moved at the broker in steps of at least this part of its distance. */
const LEAST_STEP = '0.1'

export interface WatchedExit extends HeldExit<RestingOrder | null> {
  quantity: Decimal
  abilities: ProtectiveAbilities
  /** Whether the order at the broker, if any, is the plan's: no other is moved, or replaced by one of the plan. */
  isOfProtection: boolean
  /** The broker takes no order of the plan yet. */
  entryWorks: boolean
  moves: number
}

export interface Found {
  best: Decimal
  /** A reached level kept here; at a stop nothing else is done. */
  crossed: CrossedLevel | null
  move: Move | null
  /** Another kind of order is needed at the broker, or the same one anew. */
  isToBePlaced: boolean
}

export interface Move {
  stop: Decimal
  /** Break-even, which moves once, comes first. */
  isUrgent: boolean
  /** By how much the stop lies behind, as a part of its price. */
  behind: Decimal
}

export function look(watched: WatchedExit, { improves, triggers, market }: Acts): Found {
  const { protection, position, quantity, abilities, kept, moves, isOfProtection, entryWorks } = watched
  const { side } = position
  const best = improves === null ? watched.best : betterOf(side, watched.best, improves)
  const nothing: Found = { best, crossed: null, move: null, isToBePlaced: false }
  const reached = (price: Decimal | null) =>
    price === null ? null : crossedLevel(protection, position, best, kept, price)
  const crossed = reached(triggers) ?? reached(improves)
  if (crossed?.level === 'stop' || !isOfProtection || (kept === null && entryWorks))
    return { ...nothing, crossed }
  const wanted = restingOrder(protection, position, best, { quantity, abilities, resting: kept })
  if (wanted?.orderType !== kept?.orderType) return { ...nothing, crossed, isToBePlaced: wanted !== null }
  const move = moveOf(watched, best, wanted, market)
  return { best, crossed, move, isToBePlaced: moves >= MOST_MOVES }
}

export type Acts = Pick<ActingPrice, 'improves' | 'triggers' | 'market'>

/** Only nearer to the market, beyond it by a tick, and by a step that is worth a request. */
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

/** Urgent ones first, then the stop that lies farthest behind. */
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
