import {
  compare,
  isPositive,
  magnitude,
  multiply,
  subtract,
  type Decimal,
  larger,
  smaller,
  dollarAmount,
} from '../money/decimal.ts'
import type { TradingSession } from '../time/session.ts'
import { ENTRY_SIDE, type Action } from '../signal/signal.ts'
import type { OrderTerms } from '../order/order.ts'
import type { TradeSide } from '../money/profit.ts'

export interface LastPrice {
  price: Decimal
  at: string | null
}

export interface PriceFacts {
  last: LastPrice | null
  quote: { bid: Decimal | null; ask: Decimal | null; at: string | null } | null
  askedAt: number
  /** Days before `askedAt`, in any order; empty if unknown. */
  sessions: readonly TradingSession[]
  unavailable: string | null
}

/** believed: the last trade. farSide: bid or ask, because it cannot be right. The others: no price. */
export type JudgedPrice =
  | { outcome: 'believed'; price: Decimal }
  | { outcome: 'farSide'; price: Decimal; detail: string }
  | { outcome: 'stale' | 'unavailable' | 'unknown'; price: null; detail: string }

/** Days of calendar beyond the longest closure. */
export const SESSIONS_BACK = 6
/** Milliseconds: a younger price belongs to the present session. */
const PRESENT_FOR = 10 * 60_000
/** Milliseconds: only a crisis closes exchanges for longer. */
const LONGEST_CLOSURE = 5 * 86_400_000
/** Percent outside bid and ask, if the owner set no collar. */
export const USUAL_COLLAR = '50'

export const needsRecentSessions = ({ last, quote, askedAt }: Omit<PriceFacts, 'sessions'>): boolean =>
  [last?.at, quote?.at].some((at) => at != null && askedAt - Date.parse(at) > PRESENT_FOR)

/**
 * The last trade is believed if it is from the present or last session and within the collar (percent) of bid and ask.
 * Otherwise the order's side of a plausible quote counts.
 */
export function judgePrice(action: Action, symbol: string, facts: PriceFacts, collar: Decimal): JudgedPrice {
  const { last, unavailable } = facts
  if (unavailable !== null) return { outcome: 'unavailable', price: null, detail: unavailable }
  const quote = plausibleQuote(facts, collar)
  const fault = last === null ? null : faultOf(symbol, last, quote, facts, collar)
  if (last !== null && fault === null) return { outcome: 'believed', price: last.price }
  if (last === null)
    return { outcome: 'unknown', price: null, detail: `The broker reports no price of ${symbol}` }
  if (quote === null)
    return { outcome: 'stale', price: null, detail: `${fault}; and no bid and ask can replace it` }
  const buys = ENTRY_SIDE[action] === 'BUY' || ENTRY_SIDE[action] === 'BUY_TO_COVER'
  const price = buys ? quote.ask : quote.bid
  const side = buys ? 'ask' : 'bid'
  return { outcome: 'farSide', price, detail: `${fault}; the ${side} of ${dollarAmount(price)} counts` }
}

/** Null without a present quote. `collar`: percent. */
export function freshQuote(quote: PriceFacts['quote'], askedAt: number, collar: Decimal): Market | null {
  const isOfThisMoment = quote?.at == null || askedAt - Date.parse(quote.at) <= PRESENT_FOR
  return isOfThisMoment ? plausibleQuote({ quote, askedAt, sessions: [] }, collar) : null
}

export interface Market {
  bid: Decimal
  ask: Decimal
}

export const within = (price: Decimal, { bid, ask }: Market): Decimal =>
  compare(price, bid) < 0 ? bid : compare(price, ask) > 0 ? ask : price

/** Recent, in order, and within the collar of each other. */
function plausibleQuote(
  { quote, ...facts }: Pick<PriceFacts, 'quote' | 'askedAt' | 'sessions'>,
  collar: Decimal,
): Market | null {
  if (quote === null || quote.bid === null || quote.ask === null) return null
  const { bid, ask, at } = quote
  if (!isPositive(bid) || compare(bid, ask) > 0 || isFarther(subtract(ask, bid), bid, collar)) return null
  return at !== null && !isRecent(at, facts) ? null : { bid, ask }
}

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

function isRecent(at: string, { askedAt, sessions }: Pick<PriceFacts, 'askedAt' | 'sessions'>): boolean {
  const instant = Date.parse(at)
  if (askedAt - instant <= PRESENT_FOR) return true
  const ended = sessions.filter(({ closesAt }) => Date.parse(closesAt) <= askedAt)
  const openings = ended.map(({ opensAt }) => Date.parse(opensAt))
  return openings.length === 0 ? askedAt - instant <= LONGEST_CLOSURE : instant >= Math.max(...openings)
}

export interface AtMarket {
  buyAt: Decimal | null
  sellAt: Decimal | null
}

export const sideOpenedBy = (action: Action): TradeSide => (action === 'openLong' ? 'LONG' : 'SHORT')

/** The market's price, no worse than the limit, no better than an unreached stop price. */
export function likelyFill(
  { action, limitPrice, stopPrice }: Pick<OrderTerms, 'limitPrice' | 'stopPrice'> & { action: Action },
  { buyAt, sellAt }: AtMarket,
): Decimal | null {
  const buys = action === 'openLong' || action === 'closeShort'
  const market = buys ? buyAt : sellAt
  const [worse, better] = buys ? [larger, smaller] : [smaller, larger]
  const reached = stopPrice === null || market === null ? (stopPrice ?? market) : worse(stopPrice, market)
  return limitPrice === null || reached === null ? (limitPrice ?? reached) : better(limitPrice, reached)
}
