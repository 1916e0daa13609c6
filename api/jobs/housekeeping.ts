import type { Database } from '#db/engine/database.ts'
import { removeExpiredIdentity } from '#db/identity/expired.ts'
import { removeExpiredPushes } from '#db/push/outbox.ts'
import { removeOldEvents } from '#db/live/events.ts'
import type { Logger } from 'pino'

/** Milliseconds between two rounds. */
const HOUSEKEEPING_EVERY_MS = 10 * 60_000

/** Removes expired secrets, sessions and notifications, and old events, now and then. */
export interface Housekeeping {
  start(): void
  /** Resolves when a round under way has ended. */
  stop(): Promise<void>
}

/** @param keepEvents for how many milliseconds events are kept */
export function createHousekeeping(database: Database, logger: Logger, keepEvents: number): Housekeeping {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  const tidy = (): void => {
    round ??= removeExpiredIdentity(database.em.fork())
      .then(() => removeOldEvents(database.em.fork(), keepEvents))
      .then(() => removeExpiredPushes(database.em.fork()))
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'what has expired was not removed; trying again later'),
      )
      .finally(() => {
        round = undefined
      })
  }
  return {
    start() {
      timer = setInterval(tidy, HOUSEKEEPING_EVERY_MS).unref()
    },
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}
