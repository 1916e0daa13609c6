import {
  compare,
  isPositive,
  larger,
  magnitude,
  multiply,
  smaller,
  subtract,
  type Decimal,
} from '../money/decimal.ts'
import { within, type Market } from '../risk/market-price.ts'
import { tickAt } from '../money/price-tick.ts'
import type { HeldExit } from './kept-levels.ts'
import {
  crossedLevel,
  priceAt,
  stopNow,
  targetPrice,
  type CrossedLevel,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from './protection.ts'

/** Milliseconds; an older price does not act, and the owner is alerted. */
export const PRICE_COUNTS_FOR_MS = 30_000
/** A narrow quote's spread, relative to the nearest level's distance and to the price. */
const NARROW = { ofDistance: '0.1', ofPrice: '0.01' } as const
/** Milliseconds for which trades must agree on every level. */
const TRADES_AGREE_FOR_MS = 3_000

/** Instants are the broker's; a price needs one. */
export interface ReportedPrices {
  last: Decimal | null
  at: string | null
  bid: Decimal | null
  ask: Decimal | null
  quotedAt: string | null
}

const instant = (at: string | null): number => (at === null ? Number.NEGATIVE_INFINITY : Date.parse(at))

const changedAt = ({ at, quotedAt }: ReportedPrices): number => Math.max(instant(at), instant(quotedAt))

/** Milliseconds since the symbol changed. */
export const ageOf = (told: ReportedPrices, now: number): number => Math.abs(now - changedAt(told))

export interface TradeRun {
  level: CrossedLevel['level'] | null
  since: number
  at: number
}

export interface ActingPrice {
  /** May become the best price, and reaches a level. */
  improves: Decimal | null
  triggers: Decimal | null
  /** The quote's near side: a stop may only lie beyond it. */
  market: Decimal | null
  /** Null where `why` leaves open whether a level is reached. */
  shown: Decimal | null
  at: number
  why: 'old' | 'beforeFill' | 'noPrice' | 'tooWide' | 'tradesAlone' | null
  run: TradeRun | null
}

/**
 * The near side of a fresh quote triggers if the quote is narrow, or if bid and ask agree on every level. A trade
 * inside a narrow quote improves. Otherwise trades must agree for some seconds: a single odd print does nothing.
 * @param since the entry's fill, or a later opening of the session
 */
export function actingPrice(
  told: ReportedPrices,
  { protection, position, best, kept }: HeldExit<RestingOrder | null>,
  since: number,
  { now, run }: { now: number; run: TradeRun | null },
): ActingPrice {
  const changed = changedAt(told)
  const nothing = { improves: null, triggers: null, market: null, shown: null, at: changed, run }
  if (ageOf(told, now) > PRICE_COUNTS_FOR_MS) return { ...nothing, why: 'old' }
  const trade = tradeOf(told, since, now)
  const quote = quoteOf(told, since)
  if (trade === null && quote === null) return { ...nothing, why: changed < since ? 'beforeFill' : 'noPrice' }
  const levelAt = (price: Decimal) => crossedLevel(protection, position, best, kept, price)?.level ?? null
  const isInside = trade !== null && quote !== null && compare(within(trade.price, quote), trade.price) === 0
  // A later trade outside it outdates the quote.
  if (quote !== null && (trade === null || isInside || quote.at >= trade.at)) {
    const { bid, ask } = quote
    const [near, far] = position.side === 'LONG' ? [bid, ask] : [ask, bid]
    const shown = within(told.last ?? near, quote)
    const acts = { ...nothing, market: near, shown, why: null, run: null }
    if (compare(subtract(ask, bid), widestOf(bid, nearestLevel(protection, position, best))) <= 0)
      return { ...acts, improves: isInside ? trade.price : null, triggers: near }
    const level = levelAt(near)
    if (level === levelAt(far)) return { ...acts, triggers: level && near }
    if (!isInside) return { ...nothing, why: 'tooWide' }
  }
  const { price, at } = trade!
  const next = goOn(run, at, levelAt(price))
  return next.at - next.since < TRADES_AGREE_FOR_MS
    ? { ...nothing, why: 'tradesAlone', run: next }
    : { ...nothing, triggers: price, shown: price, at, why: null, run: next }
}

function tradeOf({ last, ...told }: ReportedPrices, since: number, now: number) {
  const at = instant(told.at)
  const counts = last !== null && isPositive(last) && at >= since && Math.abs(now - at) <= PRICE_COUNTS_FOR_MS
  return counts ? { price: last, at } : null
}

function quoteOf({ bid, ask, quotedAt }: ReportedPrices, since: number): (Market & { at: number }) | null {
  const at = instant(quotedAt)
  const counts = bid !== null && ask !== null && at >= since && isPositive(bid) && compare(bid, ask) <= 0
  return counts ? { bid, ask, at } : null
}

function widestOf(bid: Decimal, nearestLevel: Decimal | null): Decimal {
  const ofPrice = multiply(bid, NARROW.ofPrice)
  const widest = nearestLevel === null ? ofPrice : smaller(ofPrice, multiply(nearestLevel, NARROW.ofDistance))
  return larger(widest, tickAt(bid))
}

function goOn(run: TradeRun | null, at: number, level: TradeRun['level']): TradeRun {
  const isSame = run !== null && run.level === level && at - run.at <= PRICE_COUNTS_FOR_MS
  return { level, since: isSame ? run.since : at, at }
}

/** Dollars a share from best price or average fill to the nearest level. */
function nearestLevel(protection: Protection, position: ProtectedPosition, best: Decimal): Decimal | null {
  const { side, average } = position
  const { trail, breakEven } = protection
  const fromBest = [stopNow(protection, position, best)?.price, trail && priceAt(side, best, trail, 'loss')]
  const fromFill = [
    targetPrice(protection, position),
    breakEven && priceAt(side, average, breakEven, 'profit'),
    trail?.after && priceAt(side, average, trail.after, 'profit'),
  ]
  const distances = [
    ...fromBest.map((level) => level && magnitude(subtract(best, level))),
    ...fromFill.map((level) => level && magnitude(subtract(average, level))),
  ].filter((distance) => distance != null)
  return distances.length === 0 ? null : distances.reduce(smaller)
}
