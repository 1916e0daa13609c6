import { periodically, type Part } from '#config/periodically.ts'
import type { Database } from '#db/engine/database.ts'
import { removeOldRequests, removeSurplusRequests } from '#db/hook/retention.ts'
import { removeExpiredIdentity } from '#db/identity/expired.ts'
import { removeOldSummaries } from '#db/notify/day-summaries.ts'
import { removeOldWebhookEvents } from '#db/notify/events.ts'
import { removeExpiredNotices } from '#db/notify/outbox.ts'
import { removeOldEvents } from '#db/live/events.ts'
import type { Logger } from 'pino'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import { within } from '../http/deadline.ts'

const HOUSEKEEPING_EVERY_MS = 10 * 60_000
/** Milliseconds: a flood may fill the disk. */
const INBOX_LOOK_EVERY_MS = 60_000

export const createHousekeeping = (database: Database, logger: Logger, keepEvents: number): Part =>
  periodically(
    'housekeeping',
    HOUSEKEEPING_EVERY_MS,
    async () => {
      await removeExpiredIdentity(database.em.fork())
      await removeOldEvents(database.em.fork(), keepEvents)
      await removeExpiredNotices(database.em.fork())
      await removeOldWebhookEvents(database.em.fork())
      await removeOldSummaries(database.em.fork())
      await removeOldRequests(database.em.fork())
    },
    logger,
  )

export const createInboxHousekeeping = (database: Database, logger: Logger): Part =>
  periodically(
    'the inbox of hooks',
    INBOX_LOOK_EVERY_MS,
    async () => {
      const { removed, unfinished } = await removeSurplusRequests(database.em.fork())
      if (unfinished > 0)
        logger.warn({ unfinished }, 'requests to hooks were removed before they were carried out')
      if (removed > 0) logger.info({ removed }, 'requests to hooks beyond what is kept are removed')
    },
    logger,
  )

const CLOCK_LOOK_EVERY_MS = 5_000
const CLOCK_LIMIT_MS = 1_000
const CLOCK_DIFFERENCE_FROM_MS = 1_000

/** For a wrong process clock: the database compares such instants with its own. */
export interface LedgerClock extends Part {
  now(): number
}

export function createLedgerClock(database: Database, logger: Logger): LedgerClock {
  let ahead = 0
  async function look(): Promise<void> {
    const seconds = await within(
      CLOCK_LIMIT_MS,
      "the database's clock",
      readClockDifference(database.em.fork()),
    )
    const found = Math.round(seconds * 1_000)
    ahead = Math.abs(found) < CLOCK_DIFFERENCE_FROM_MS ? 0 : found
  }
  return {
    now: () => Date.now() + ahead,
    ...periodically("PostgreSQL's clock", CLOCK_LOOK_EVERY_MS, look, logger),
  }
}
