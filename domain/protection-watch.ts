import { compare, isPositive, larger, magnitude, multiply, subtract, type Decimal } from './decimal.ts'
import { plausibleQuote, USUAL_COLLAR, within, type PriceFacts } from './market-price.ts'
import type { OrderPurpose } from './order.ts'
import { tickAt } from './price-tick.ts'
import {
  betterOf,
  crossedLevel,
  isBetter,
  restingOrder,
  stopNow,
  targetPrice,
  watchedParts,
  type CrossedLevel,
  type PlanPart,
  type ProtectedPosition,
  type ProtectiveAbilities,
  type Protection,
  type RestingOrder,
} from './protection.ts'

/** The rules of watched prices for exit plans: pure; `worker/feed/protection-watch.ts` acts on them. */

/** Milliseconds of a session: an older price triggers nothing, and the owner is alerted. */
export const PRICE_COUNTS_FOR_MS = 30_000
/** Then a stop is placed anew: the broker makes another order of each move, and readers go through all of them. */
export const MOST_MOVES = 40
/** A trailing stop is moved at the broker in steps of at least this part of its distance. */
const LEAST_STEP = '0.1'

export interface SeenPrice {
  price: Decimal
  at: number
  /** quote: the last trade, brought between bid and ask. trade: without a quote, which proves nothing alone. */
  source: 'trade' | 'quote'
}

/** Null without a price since `opensAt`. With a fresh quote a trade outside of it counts as the nearer side. */
export function seenPrice(facts: PriceFacts, opensAt: number): SeenPrice | null {
  const { last, quote, askedAt } = facts
  const instantOf = (at: string | null): number => (at === null ? askedAt : Date.parse(at))
  const isFresh = (at: string | null): boolean =>
    Math.abs(askedAt - instantOf(at)) <= PRICE_COUNTS_FOR_MS && instantOf(at) >= opensAt
  if (last === null || !isPositive(last.price)) return null
  const market = plausibleQuote(facts, USUAL_COLLAR)
  if (quote !== null && market !== null && isFresh(quote.at))
    return { price: within(last.price, market), at: instantOf(quote.at), source: 'quote' }
  return isFresh(last.at) ? { price: last.price, at: instantOf(last.at), source: 'trade' } : null
}

export interface TradeRun {
  price: Decimal
  at: number
  since: number
}

/** Such trades count once they have lasted so many milliseconds, each within so many percent of the one before. */
const TRADES_COUNT = { afterMs: 3_000, within: '1' } as const

/** An odd print begins a run of its own, and ends it with the next trade. */
export function followTrades(
  run: TradeRun | null,
  { price, at }: Pick<SeenPrice, 'price' | 'at'>,
): TradeRun & { counts: boolean } {
  const goesOn =
    run !== null &&
    at - run.at <= PRICE_COUNTS_FOR_MS &&
    compare(
      multiply(magnitude(subtract(price, run.price)), '100'),
      multiply(run.price, TRADES_COUNT.within),
    ) <= 0
  const since = goesOn ? run.since : at
  return { price, at, since, counts: at - since >= TRADES_COUNT.afterMs }
}

/** entry: it still works, so nothing is placed. works: as last moved. closing: another exit of the signal. */
export type OrderAtBroker = 'entry' | 'none' | 'works' | 'ended' | 'closing'

export const keepsLevel = (purpose: OrderPurpose): boolean => purpose === 'plan' || purpose === 'target'

export interface WatchedPlan {
  plan: Protection
  position: ProtectedPosition
  best: Decimal
  quantity: Decimal
  abilities: ProtectiveAbilities
  order: OrderAtBroker
  resting: RestingOrder | null
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
  /** Break-even, which moves once, is not postponed. */
  isUrgent: boolean
}

const keeps = ({ order, resting }: Pick<WatchedPlan, 'order' | 'resting'>): RestingOrder | null =>
  order === 'works' ? resting : null

export function look(watched: WatchedPlan, price: Decimal): Found {
  const { plan, position, quantity, abilities, order } = watched
  const best = betterOf(position.side, watched.best, price)
  const nothing: Found = { best, crossed: null, move: null, isToBePlaced: false }
  // It may have closed the position, and its workflow knows.
  if (order === 'closing' || order === 'ended') return nothing
  const resting = keeps(watched)
  const crossed = crossedLevel(plan, position, best, resting, price)
  if (crossed?.level === 'stop' || order === 'entry') return { ...nothing, crossed }
  const wanted = restingOrder(plan, position, best, { quantity, abilities, resting })
  if (wanted?.orderType !== resting?.orderType) return { ...nothing, crossed, isToBePlaced: wanted !== null }
  const move = moveOf(watched, best, wanted, resting)
  return { best, crossed, move, isToBePlaced: watched.moves >= MOST_MOVES }
}

/** Only nearer to the market, and by a step that is worth a request. */
function moveOf(
  { plan, position }: Pick<WatchedPlan, 'plan' | 'position'>,
  best: Decimal,
  wanted: RestingOrder | null,
  resting: RestingOrder | null,
): Move | null {
  const [to, from] = [wanted?.stopPrice ?? null, resting?.stopPrice ?? null]
  if (to === null || from === null || !isBetter(position.side, to, from)) return null
  const { by } = stopNow(plan, position, best)!
  const least = larger(tickAt(to), multiply(magnitude(subtract(best, to)), LEAST_STEP))
  if (by === 'trail' && compare(magnitude(subtract(to, from)), least) < 0) return null
  return { stop: to, isUrgent: by === 'breakEven' }
}

/** None while another exit closes the position. */
export const partsKeptHere = (watched: Omit<WatchedPlan, 'quantity' | 'abilities' | 'moves'>): PlanPart[] =>
  watched.order === 'closing'
    ? []
    : watchedParts(watched.plan, watched.position, watched.best, keeps(watched))

/** Parts kept here; every trail (the broker forgets the best price with its order); a stop with a limit, too. */
export const needsPrices = (watched: Parameters<typeof partsKeptHere>[0]): boolean =>
  watched.order !== 'closing' &&
  (watched.plan.trail !== null ||
    watched.plan.stop?.limitOffset !== undefined ||
    partsKeptHere(watched).length > 0)

export function isStillALevel(
  { plan, position, best }: Pick<WatchedPlan, 'plan' | 'position' | 'best'>,
  { level, at }: CrossedLevel,
): boolean {
  const now = level === 'target' ? targetPrice(plan, position) : stopNow(plan, position, best)?.price
  return now != null && compare(now, at) === 0
}
