import { periodically, type Part } from '#config/periodically.ts'
import { snapshotWindows, type SnapshotWindow } from '#domain/balance-snapshot.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { addDays } from '#domain/wall-time.ts'
import type { Database } from '#db/engine/database.ts'
import { writeDaySummaries } from '#db/push/day-summaries.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

/** Milliseconds between two looks whether a day has ended. */
const DAY_LOOK_EVERY_MS = 30_000
/** Milliseconds after which database work is given up; the next look tries again. */
const SUMMARY_DATABASE_LIMIT_MS = 20_000
/** Longer than any closure of the exchange. */
const DAYS_AROUND = 14

/**
 * The day of the exchange that has ended and whose next session has not opened, by the exchange's calendar; null while a
 * session is on, and for some minutes after it, in which the last fills arrive.
 *
 * @param now ISO instant
 */
export function endedDay(now: string): SnapshotWindow | null {
  const today = now.slice(0, 10)
  const windows = snapshotWindows(nyseSessions(addDays(today, -DAYS_AROUND), addDays(today, DAYS_AROUND)))
  return windows.find(({ from, until }) => from <= now && now < until) ?? null
}

/**
 * Writes the summaries of the day when it has ended, each once, whichever process does it and however often. What was missed
 * while nothing ran is written until the next session opens.
 */
export const createDaySummaries = (database: Database, logger: Logger, now: () => number = Date.now): Part =>
  periodically(
    'summaries of the day',
    DAY_LOOK_EVERY_MS,
    async () => {
      const day = endedDay(new Date(now()).toISOString())
      if (day === null) return
      const work = writeDaySummaries(database.em.fork(), day)
      const written = await within(SUMMARY_DATABASE_LIMIT_MS, 'the database', work)
      if (written > 0) logger.info({ day: day.date, written }, 'the day has ended and its summaries are told')
    },
    logger,
  )
