import { periodically, type Part } from '#config/periodically.ts'
import type { Database } from '#db/engine/database.ts'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

/** Milliseconds between two looks at PostgreSQL's clock, and after which one of them is given up. */
const CLOCK_LOOK_EVERY_MS = 5_000
const CLOCK_LIMIT_MS = 1_000
/** A difference below that is one of measuring, in milliseconds. */
const CLOCK_DIFFERENCE_FROM_MS = 1_000

/**
 * The time by PostgreSQL's clock, for an API process whose own is wrong: the instants at which signals and orders are accepted,
 * and until which they may be sent, are compared with the database's by others. The process' own time until PostgreSQL has
 * answered.
 */
export interface LedgerClock extends Part {
  /** Milliseconds since the epoch. */
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
