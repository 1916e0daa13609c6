import { MINUTE_MS } from './instants.ts'
import { WAITS_FOR_SESSION } from '../signal/advisory.ts'
import type { OrderTerms, TimeInForce } from '../order/order.ts'
import { divideDown, isPositive, isZero, subtract, type Decimal } from '../money/decimal.ts'
import { EXIT_AT_MARKET, type ExitTerms } from '../exit/exit.ts'

/** UTC instants. */
export interface TradingSession {
  date: string
  opensAt: string
  closesAt: string
}

/** Days that cover an exchange's longest closure. */
export const CALENDAR_REACH_DAYS = 14

/** Milliseconds before an auction (Alpaca: 09:28; NYSE rule 7.35B and Alpaca: 15:50 for a close at 16:00). */
export const AUCTION_CUT_OFF_MS = { opg: 2 * MINUTE_MS, cls: 10 * MINUTE_MS } as const

/** extended: before or after a session, on its day. */
export type MarketPhase = 'regular' | 'extended' | 'closed'

/** Milliseconds from 04:00 to 09:30. */
const PRE_MARKET = 5.5 * 3_600_000
/** Milliseconds from a close at 16:00 to 20:00, or at 13:00 to 17:00. */
const AFTER_HOURS = 4 * 3_600_000

/** Extended hours of the United States, counted from the session because of half days. */
export function marketPhaseAt(now: number, sessions: readonly TradingSession[]): MarketPhase {
  const within = (before: number, after: number): boolean =>
    sessions.some(
      ({ opensAt, closesAt }) => now >= Date.parse(opensAt) - before && now < Date.parse(closesAt) + after,
    )
  if (within(0, 0)) return 'regular'
  return within(PRE_MARKET, AFTER_HOURS) ? 'extended' : 'closed'
}

const KEPT: ReadonlySet<TimeInForce> = new Set(['day', 'gtc', 'gtd'])
/** Milliseconds: shorter gaps are ignored. */
const SHORTEST_WAIT = 60_000

/** Null for an order that does not wait, or if the calendar ends earlier. */
export function waitsForSession(
  { timeInForce, extendedHours }: Pick<OrderTerms, 'timeInForce' | 'extendedHours'>,
  now: number,
  sessions: readonly TradingSession[],
): { code: string; message: string } | null {
  if (!KEPT.has(timeInForce)) return null
  const phase = marketPhaseAt(now, sessions)
  if (phase === 'regular' || (phase === 'extended' && extendedHours)) return null
  const ahead = sessions.map(({ opensAt }) => opensAt).filter((opensAt) => Date.parse(opensAt) > now)
  const next = ahead.toSorted().at(0)
  if (next === undefined || Date.parse(next) - now < SHORTEST_WAIT) return null
  return {
    code: WAITS_FOR_SESSION,
    message: `The exchange is closed: the order waits at the broker for the next session, which opens at ${next}. Cancel it if it is not to wait`,
  }
}

export interface ExitPart {
  quantity: Decimal
  rule: ExitTerms
  isFraction: boolean
}

/**
 * Auctions take whole shares. Of 3.33 shares 0.33 leave first, at market, then 3 in the auction: reversed, the fraction
 * would stay overnight.
 * @param wholeFirst the broker did not sell the fraction
 */
export function nextPart(rule: ExitTerms, quantity: Decimal, wholeFirst = false): ExitPart {
  const whole = divideDown(quantity, '1', 0)
  const fraction = subtract(quantity, whole)
  if (rule.timeInForce !== 'cls' || !isPositive(quantity) || isZero(fraction))
    return { quantity, rule, isFraction: false }
  if (wholeFirst && isPositive(whole)) return { quantity: whole, rule, isFraction: false }
  return { quantity: fraction, rule: atMarket(rule), isFraction: true }
}

export const atMarket = (rule: ExitTerms): ExitTerms => ({ ...rule, ...EXIT_AT_MARKET })
