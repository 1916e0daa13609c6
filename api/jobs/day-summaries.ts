import { periodically, type Part } from '#config/periodically.ts'
import { snapshotWindows, type SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { Database } from '#db/engine/database.ts'
import { writeDaySummaries } from '#db/notify/day-summaries.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

const DAY_LOOK_EVERY_MS = 30_000
const SUMMARY_DATABASE_LIMIT_MS = 20_000
/** Longer than any closure of the exchange. */
const DAYS_AROUND = 14

/** Null during a session, and minutes after it. `now` is an ISO instant. */
export function endedDay(now: string): SnapshotWindow | null {
  const today = now.slice(0, 10)
  const windows = snapshotWindows(nyseSessions(addDays(today, -DAYS_AROUND), addDays(today, DAYS_AROUND)))
  return windows.find(({ from, until }) => from <= now && now < until) ?? null
}

/** Each is written once, by any process; missed ones until the next session. */
export const createDaySummaries = (database: Database, logger: Logger, now: () => number = Date.now): Part =>
  periodically(
    'summaries of the day',
    DAY_LOOK_EVERY_MS,
    async () => {
      const day = endedDay(new Date(now()).toISOString())
      if (day === null) return
      const work = writeDaySummaries(database.em.fork(), day)
      const written = await within(SUMMARY_DATABASE_LIMIT_MS, 'the database', work)
      if (written > 0)
        logger.info({ day: day.date, written }, 'the day has ended and its summaries are written')
    },
    logger,
  )
