import type { OrderTerms } from '../ledger/orders.ts'
import type { MarketHours, Session } from '../market-hours.ts'
import { reject } from '../rejection.ts'
import { DAY_MS, MINUTE_MS } from '#domain/time-units.ts'

const GTC_DAYS = 90
/** Orders for the opening auction are taken until so long before it, orders for the closing one likewise. */
const OPENING_CUT_OFF = 2 * MINUTE_MS
const CLOSING_CUT_OFF = 10 * MINUTE_MS
/** Auction orders are taken again from 19:00; the pre-market opens at 04:00 and no clock changes between them. */
const EVENING_AFTER_PRE_MARKET_OPEN = 15 * 60 * MINUTE_MS
/** How long after its instant an auction may still be worked off, by a venue that was not running then. */
const AUCTION_LIFETIME = DAY_MS

/**
 * When an order may trade and when it ends, in epoch milliseconds. Outside a session an order waits for the
 * next one. Throws a Rejection for an auction that takes no orders at this moment.
 */
export function placementOf(
  order: Pick<OrderTerms, 'timeInForce' | 'extendedHours'>,
  hours: MarketHours,
  now: number,
): Pick<OrderTerms, 'activeAt' | 'expiresAt'> {
  // Where the market never closes there are no auctions: such orders fill like market and limit orders.
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

/** The instant of the auction that an order sent now takes part in. */
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

/** 19:00 in New York, half days included. */
const eveningOf = (session: Session): number => session.preMarketOpensAt + EVENING_AFTER_PRE_MARKET_OPEN
