import type { TradingSession } from './session.ts'

/** extended: before or after a session, on its day. */
export type MarketPhase = 'regular' | 'extended' | 'closed'

/** From 04:00 to an opening at 09:30, in milliseconds. */
const PRE_MARKET = 5.5 * 3_600_000
/** From a close at 16:00 to 20:00, or from one at 13:00 to 17:00, in milliseconds. */
const AFTER_HOURS = 4 * 3_600_000

/** Extended hours are those of the United States, counted from the session, so that half days are right. */
export function marketPhaseAt(now: number, sessions: readonly TradingSession[]): MarketPhase {
  const within = (before: number, after: number): boolean =>
    sessions.some(
      ({ opensAt, closesAt }) => now >= Date.parse(opensAt) - before && now < Date.parse(closesAt) + after,
    )
  if (within(0, 0)) return 'regular'
  return within(PRE_MARKET, AFTER_HOURS) ? 'extended' : 'closed'
}
