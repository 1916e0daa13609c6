import { compare, isPositive, magnitude, multiply, subtract, type Decimal } from './decimal.ts'
import { dollarAmount } from './figures.ts'
import type { TradingSession } from './session.ts'
import { ENTRY_SIDE, type Action } from './signal.ts'

/** The last trade of a symbol, as a broker tells it. */
export interface LastPrice {
  /** Dollars a share. */
  price: Decimal
  /** When it was traded; UTC instant. Null where the broker does not tell. */
  at: string | null
}

/** The facts that brokers tell of the price of one symbol. */
export interface PriceFacts {
  /** Null when there was no trade, or the broker has no such symbol. */
  last: LastPrice | null
  /** Dollars a share, and when they were told. Null when the broker told none. */
  quote: { bid: Decimal | null; ask: Decimal | null; at: string | null } | null
  /** The moment of the question; milliseconds since the epoch. */
  askedAt: number
  /** Of the days before that moment, in any order; empty where the calendar was not asked for, or could not be had. */
  sessions: readonly TradingSession[]
  /** Why the broker gives no prices at all, in words; null where it does. */
  unavailable: string | null
}

/**
 * The price by which an order is sized and held to its limits. believed: the last trade. farSide: bid or ask, because the last
 * trade cannot be right; `detail` says why. The others: there is none, `detail` says why.
 */
export type JudgedPrice =
  | { outcome: 'believed'; price: Decimal }
  | { outcome: 'farSide'; price: Decimal; detail: string }
  | { outcome: 'stale' | 'unavailable' | 'unknown'; price: null; detail: string }

/** How far back the calendar has to reach to show the session that ended last, in days: over the longest closure. */
export const SESSIONS_BACK = 6
/** Within this time a price needs no calendar to be of the present session, in milliseconds. */
const PRESENT_FOR = 10 * 60_000
/** Without a calendar: longer than exchanges are closed in a row but in a crisis, in milliseconds. */
const LONGEST_CLOSURE = 5 * 86_400_000
/** Percent by which the last trade may lie outside of bid and ask where the owner has set no collar. */
export const USUAL_COLLAR = '50'

/** Whether the calendar is needed to judge these facts: one of their instants is not of this moment. */
export const needsRecentSessions = ({ last, quote, askedAt }: Omit<PriceFacts, 'sessions'>): boolean =>
  [last?.at, quote?.at].some((at) => at != null && askedAt - Date.parse(at) > PRESENT_FOR)

/**
 * Judges what a broker tells of a price before an order is sized or bounded by it. The last trade is believed when it is of the
 * present or the last session, and not farther outside of bid and ask than the collar. Otherwise the side of the market counts
 * at which the order would trade, when bid and ask are of such a session themselves and lie within the collar of each other.
 *
 * @param collar percent
 */
export function judgePrice(action: Action, symbol: string, facts: PriceFacts, collar: Decimal): JudgedPrice {
  const { last, unavailable } = facts
  if (unavailable !== null) return { outcome: 'unavailable', price: null, detail: unavailable }
  const quote = plausibleQuote(facts, collar)
  const fault = last === null ? null : faultOf(symbol, last, quote, facts, collar)
  if (last !== null && fault === null) return { outcome: 'believed', price: last.price }
  if (last === null)
    return { outcome: 'unknown', price: null, detail: `The broker tells no price of ${symbol}` }
  if (quote === null)
    return { outcome: 'stale', price: null, detail: `${fault}; and no bid and ask that could stand for it` }
  const buys = ENTRY_SIDE[action] === 'BUY' || ENTRY_SIDE[action] === 'BUY_TO_COVER'
  const price = buys ? quote.ask : quote.bid
  const side = buys ? 'ask' : 'bid'
  return { outcome: 'farSide', price, detail: `${fault}; the ${side} of ${dollarAmount(price)} counts` }
}

/**
 * Since when bid and ask are known to be those of the market, in milliseconds since the epoch: a broker that told them a moment ago, or
 * whose stream tells of each change, says that they are so now, though they may not have changed for minutes. Not where they are
 * older than those of a market that trades.
 */
export const quoteKnownAt = (quotedAt: string | null, toldAt: number): number => {
  const at = quotedAt === null ? toldAt : Date.parse(quotedAt)
  return toldAt - at <= PRESENT_FOR ? toldAt : at
}

/**
 * What a seller gets for a share at this moment, and what a buyer pays: bid and ask, where they are of this moment, in order and
 * within the collar of each other. Null where the market shows none, as when it is closed.
 *
 * @param collar percent
 */
export function freshQuote(quote: PriceFacts['quote'], askedAt: number, collar: Decimal): Market | null {
  const isOfThisMoment = quote?.at == null || askedAt - Date.parse(quote.at) <= PRESENT_FOR
  return isOfThisMoment ? plausibleQuote({ quote, askedAt, sessions: [] }, collar) : null
}

/** The prices at which a share can be sold and bought now, in dollars. */
export interface Market {
  bid: Decimal
  ask: Decimal
}

/** A price brought between bid and ask: the nearer of the two where it lies outside of them. */
export const within = (price: Decimal, { bid, ask }: Market): Decimal =>
  compare(price, bid) < 0 ? bid : compare(price, ask) > 0 ? ask : price

/** Bid and ask, if both are there, of a recent session, in order, and within the collar of each other. */
export function plausibleQuote(
  { quote, ...facts }: Pick<PriceFacts, 'quote' | 'askedAt' | 'sessions'>,
  collar: Decimal,
): Market | null {
  if (quote === null || quote.bid === null || quote.ask === null) return null
  const { bid, ask, at } = quote
  if (!isPositive(bid) || compare(bid, ask) > 0 || isFarther(subtract(ask, bid), bid, collar)) return null
  return at !== null && !isRecent(at, facts) ? null : { bid, ask }
}

/** Why the last trade cannot be believed, in words; null when it can. */
function faultOf(
  symbol: string,
  { price, at }: LastPrice,
  quote: Market | null,
  facts: Pick<PriceFacts, 'askedAt' | 'sessions'>,
  collar: Decimal,
): string | null {
  const told = `The last price of ${symbol}, ${dollarAmount(price)},`
  if (at !== null && !isRecent(at, facts)) return `${told} is of ${at}, before the last session`
  if (quote === null || !isPositive(price)) return null
  const { bid, ask } = quote
  const nearer = within(price, quote)
  return isFarther(magnitude(subtract(price, nearer)), nearer, collar)
    ? `${told} lies more than ${collar} % outside of bid ${dollarAmount(bid)} and ask ${dollarAmount(ask)}`
    : null
}

const isFarther = (distance: Decimal, from: Decimal, percent: Decimal): boolean =>
  compare(multiply(distance, '100'), multiply(percent, from)) > 0

/** Whether an instant is of the present session, or not before the one that ended last. */
function isRecent(at: string, { askedAt, sessions }: Pick<PriceFacts, 'askedAt' | 'sessions'>): boolean {
  const instant = Date.parse(at)
  if (askedAt - instant <= PRESENT_FOR) return true
  const ended = sessions.filter(({ closesAt }) => Date.parse(closesAt) <= askedAt)
  const openings = ended.map(({ opensAt }) => Date.parse(opensAt))
  return openings.length === 0 ? askedAt - instant <= LONGEST_CLOSURE : instant >= Math.max(...openings)
}
