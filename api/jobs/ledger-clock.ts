import type { Database } from '#db/engine/database.ts'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'

/** Milliseconds between two looks at PostgreSQL's clock, and after which one of them is given up. */
const EVERY = 5_000
const LIMIT = 1_000
/** A difference below that is one of measuring, in milliseconds. */
const LEAST = 1_000

/**
 * The time by PostgreSQL's clock, for an API process whose own is wrong: the instants at which signals and orders are accepted,
 * and until which they may be sent, are compared with the database's by others. The process' own time until PostgreSQL has
 * answered.
 */
export interface LedgerClock {
  /** Milliseconds since the epoch. */
  now(): number
  start(): void
  /** Resolves when a look under way has ended. */
  stop(): Promise<void>
}

export function createLedgerClock(database: Database, logger: Logger): LedgerClock {
  let ahead = 0
  let timer: NodeJS.Timeout | undefined
  let look: Promise<void> | undefined
  const ask = (): void => {
    look ??= within(LIMIT, "the database's clock", readClockDifference(database.em.fork()))
      .then((seconds) => {
        const found = Math.round(seconds * 1_000)
        ahead = Math.abs(found) < LEAST ? 0 : found
      })
      .catch((error: unknown) => logger.debug({ err: error }, "PostgreSQL's clock could not be read"))
      .finally(() => {
        look = undefined
      })
  }
  return {
    now: () => Date.now() + ahead,
    start() {
      ask()
      timer = setInterval(ask, EVERY).unref()
    },
    async stop() {
      clearInterval(timer)
      await look
    },
  }
}
