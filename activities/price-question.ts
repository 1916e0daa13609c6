import type { PriceQuestion } from '#brokers/last-price.ts'
import { SESSIONS_BACK } from '#domain/market-price.ts'
import { DAY_MS } from '#domain/time-units.ts'
import type { SessionCalendar } from './session-calendar.ts'

/** A question for a price at this moment, in milliseconds since the epoch, which is judged by the account's calendar. */
export const priceQuestion = (
  { calendar }: { calendar: Pick<SessionCalendar, 'sessionsFrom'> },
  accountId: string,
  askedAt: number,
): PriceQuestion => ({
  askedAt,
  recentSessions: () =>
    calendar.sessionsFrom(accountId, new Date(askedAt - SESSIONS_BACK * DAY_MS).toISOString()),
})
