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

/**
 * The rules by which prices are watched for exit plans: which price counts, and what comes of it. Nothing here asks or tells anybody;
 * `worker/feed/protection-watch.ts` does.
 */

/** A price that is older than so many milliseconds of a session triggers nothing; without a younger one the owner is alerted. */
export const PRICE_COUNTS_FOR_MS = 30_000
/**
 * After so many moves of its stop an order is placed anew, and moved on until it is: the broker makes another order of it each time,
 * and whoever reads it has to go through all of them.
 */
export const MOST_MOVES = 40
/** A stop that trails is moved at the broker once it would be nearer to the price by so much of its distance. */
const LEAST_STEP = '0.1'

/** A price of this moment. */
export interface SeenPrice {
  /** Dollars a share. */
  price: Decimal
  /** When the market told it; milliseconds since the epoch. */
  at: number
  /** quote: bid and ask, into which the last trade was brought. trade: the last trade, where there are none; one alone proves nothing. */
  source: 'trade' | 'quote'
}

/**
 * The price of this moment; null where there is none that is fresh. Where bid and ask are fresh, the market certainly is between them:
 * a last trade outside of them, old or odd, counts as the nearer of the two. Where they are not, a trade counts with others
 * ({@link followTrades}).
 *
 * @param opensAt of the session: what was before it does not count; milliseconds since the epoch
 */
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

/** Trades without bid and ask around them, each near to the one before. */
export interface TradeRun {
  /** Of the last of them. */
  price: Decimal
  at: number
  /** Of the first. */
  since: number
}

/** Trades without bid and ask count once they have stayed for so many milliseconds, each within so many percent of the one before. */
const TRADES_COUNT = { afterMs: 3_000, within: '1' } as const

/** The run that a trade goes on with, or begins: one odd print begins one of its own, and ends it with the next trade. */
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

/**
 * What there is at the broker of the plan. entry: the entry still works, and nothing is placed beside it. none: nothing. works: the
 * order as it was placed or moved last. ended: that order has ended, and its workflow deals with it. closing: another exit of the signal.
 */
export type OrderAtBroker = 'entry' | 'none' | 'works' | 'ended' | 'closing'

/** Whether an exit order has a level of its plan at the broker: the order of the plan, or of a target that was watched here. */
export const keepsLevel = (purpose: OrderPurpose): boolean => purpose === 'plan' || purpose === 'target'

/** A plan that is watched, as far as its levels depend on it. */
export interface WatchedPlan {
  plan: Protection
  position: ProtectedPosition
  /** The best price since the entry, in dollars a share. */
  best: Decimal
  /** Shares that it is for. */
  quantity: Decimal
  abilities: ProtectiveAbilities
  order: OrderAtBroker
  resting: RestingOrder | null
  /** How often the order that works was moved. */
  moves: number
}

/** What comes of a price. */
export interface Found {
  /** The best price since the entry, with this one. */
  best: Decimal
  /** A level that is kept here and was reached; at a stop nothing else is done. */
  crossed: CrossedLevel | null
  /** Where the stop at the broker is to be moved to; null for nowhere. */
  move: Move | null
  /** Another kind of order is to lie at the broker, or the same one placed anew. */
  isToBePlaced: boolean
}

/** A stop at the broker that is to be moved, nearer to the price. */
export interface Move {
  stop: Decimal
  /** Not to be put off: break-even, which moves once. */
  isUrgent: boolean
}

/** The order that keeps levels at the broker now. */
const keeps = ({ order, resting }: Pick<WatchedPlan, 'order' | 'resting'>): RestingOrder | null =>
  order === 'works' ? resting : null

/** What comes of the price that counts now. */
export function look(watched: WatchedPlan, price: Decimal): Found {
  const { plan, position, quantity, abilities, order } = watched
  const best = betterOf(position.side, watched.best, price)
  const nothing: Found = { best, crossed: null, move: null, isToBePlaced: false }
  // An order that has just ended may have closed the position, and its workflow is told of that.
  if (order === 'closing' || order === 'ended') return nothing
  const resting = keeps(watched)
  const crossed = crossedLevel(plan, position, best, resting, price)
  if (crossed?.level === 'stop' || order === 'entry') return { ...nothing, crossed }
  const wanted = restingOrder(plan, position, best, { quantity, abilities, resting })
  if (wanted?.orderType !== resting?.orderType) return { ...nothing, crossed, isToBePlaced: wanted !== null }
  const move = moveOf(watched, best, wanted, resting)
  return { best, crossed, move, isToBePlaced: watched.moves >= MOST_MOVES }
}

/** Whether the stop is to be moved at the broker: nearer to the market only, and by a step that is worth a request. */
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

/** The parts of a plan that are kept here; none while another exit closes the position. */
export const partsKeptHere = (watched: Omit<WatchedPlan, 'quantity' | 'abilities' | 'moves'>): PlanPart[] =>
  watched.order === 'closing'
    ? []
    : watchedParts(watched.plan, watched.position, watched.best, keeps(watched))

/**
 * Whether the price is followed: for what is kept here, for every trail, also one that the broker keeps, and for a stop with a limit. The
 * broker forgets the best price with its order, and the next order is to begin no worse; a limit may be passed over.
 */
export const needsPrices = (watched: Parameters<typeof partsKeptHere>[0]): boolean =>
  watched.order !== 'closing' &&
  (watched.plan.trail !== null ||
    watched.plan.stop?.limitOffset !== undefined ||
    partsKeptHere(watched).length > 0)

/** Whether a level that was crossed is one of the plan still, by the best price of that moment. */
export function isStillALevel(
  { plan, position, best }: Pick<WatchedPlan, 'plan' | 'position' | 'best'>,
  { level, at }: CrossedLevel,
): boolean {
  const now = level === 'target' ? targetPrice(plan, position) : stopNow(plan, position, best)?.price
  return now != null && compare(now, at) === 0
}
