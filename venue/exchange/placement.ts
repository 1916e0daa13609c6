import type { OrderTerms } from '../ledger/orders.ts'
import type { MarketHours, Session } from '../market-hours.ts'
import { reject } from '../rejection.ts'
import { DAY_MS, MINUTE_MS } from '#domain/time/instants.ts'

const GTC_DAYS = 90
/** Milliseconds before the auction; no orders are accepted from then on. */
const OPENING_CUT_OFF = 2 * MINUTE_MS
const CLOSING_CUT_OFF = 10 * MINUTE_MS
/** 19:00, when auction orders are accepted again: no clock changes between 04:00 and then. */
const EVENING_AFTER_PRE_MARKET_OPEN = 15 * 60 * MINUTE_MS
/** Milliseconds, for a venue that did not run at the auction. */
const AUCTION_LIFETIME = DAY_MS

/** Epoch milliseconds. Throws a Rejection for an auction that accepts no orders now. */
export function placementOf(
  order: Pick<OrderTerms, 'timeInForce' | 'extendedHours'>,
  hours: MarketHours,
  now: number,
): Pick<OrderTerms, 'activeAt' | 'expiresAt'> {
  // A market that never closes has no auctions: such orders fill like others.
  if (hours.mode === 'nyse' && (order.timeInForce === 'opg' || order.timeInForce === 'cls')) {
    const at = auctionFor(order.timeInForce, hours, now)
    return { activeAt: at, expiresAt: at + AUCTION_LIFETIME }
  }
  const session = order.extendedHours ? sessionWithExtendedHours(hours, now) : hours.currentOrNextSession(now)
  const opensAt = order.extendedHours ? session.preMarketOpensAt : session.opensAt
  const activeAt = Math.max(now, opensAt)
  if (order.timeInForce === 'gtc') return { activeAt, expiresAt: now + GTC_DAYS * DAY_MS }
  return { activeAt, expiresAt: order.extendedHours ? session.afterHoursCloseAt : session.closesAt }
}

function sessionWithExtendedHours(hours: MarketHours, now: number): Session {
  const today = hours.sessionToday(now)
  return today && now < today.afterHoursCloseAt ? today : hours.nextSession(now)
}

function auctionFor(timeInForce: 'opg' | 'cls', hours: MarketHours, now: number): number {
  const today = hours.sessionToday(now)
  const instant = (session: Session) => (timeInForce === 'opg' ? session.opensAt : session.closesAt)
  if (!today) return instant(hours.nextSession(now))
  const cutOff = instant(today) - (timeInForce === 'opg' ? OPENING_CUT_OFF : CLOSING_CUT_OFF)
  if (now < cutOff) return instant(today)
  if (now >= eveningOf(today)) return instant(hours.nextSession(now))
  throw reject.unprocessable(
    `${timeInForce} orders are not accepted between ${timeInForce === 'opg' ? '9:28am' : '10 minutes before the close'} and 7:00pm`,
  )
}

/** 19:00 in New York, also on half days. */
const eveningOf = (session: Session): number => session.preMarketOpensAt + EVENING_AFTER_PRE_MARKET_OPEN
