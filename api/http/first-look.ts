import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { requireOrdinaryUser } from '#db/engine/database-user.ts'
import type { Database } from '#db/engine/database.ts'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { isNobodyThere } from '#db/identity/users.ts'

/** Milliseconds between two tries while PostgreSQL is away. */
const FIRST_LOOK_RETRY_MS = 1_000

/**
 * Looks at the database once it answers, which need not be when the API starts: throws UnsafeDatabaseUser when the
 * service must not work as that user, and tells the operator how the first user registers while there is none.
 *
 * @param setupSecret null where it is not to be told: the operator chose it, or the first user cannot register
 */
export async function lookAtDatabase(
  database: Database,
  logger: Logger,
  setupSecret: string | null,
): Promise<void> {
  for (;;) {
    try {
      await requireOrdinaryUser(database.em.fork())
      if (setupSecret !== null && (await database.em.fork().transactional(isNobodyThere)))
        logger.warn(`nobody has registered yet; the first user needs the setupSecret ${setupSecret}`)
      return
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      await pause(FIRST_LOOK_RETRY_MS, undefined, { ref: false })
    }
  }
}
