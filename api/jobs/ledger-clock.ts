import { periodically, type Part } from '#config/periodically.ts'
import type { Database } from '#db/engine/database.ts'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

const CLOCK_LOOK_EVERY_MS = 5_000
const CLOCK_LIMIT_MS = 1_000
const CLOCK_DIFFERENCE_FROM_MS = 1_000

/** For a process with a wrong clock: the database compares such instants with its own. */
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
