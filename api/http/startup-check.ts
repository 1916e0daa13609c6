import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { requireKnownKeys, WrongKeys } from '#db/broker/key-checks.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { requireFitDatabase, UnfitDatabase } from '#db/engine/database-check.ts'
import type { Database } from '#db/engine/database.ts'
import { isUnreachable } from '#db/identity/users.ts'

const FIRST_LOOK_RETRY_MS = 2_000

/** Waits for the database. Throws {@link WrongKeys} and {@link UnfitDatabase}. */
export async function checkDatabase(
  database: Database,
  checks: EncryptionKeys,
  logger: Logger,
  setupSecret: string | null,
): Promise<void> {
  for (;;) {
    try {
      await requireKnownKeys(database.em, checks)
      await requireFitDatabase(database.em.fork())
      if (setupSecret !== null && (await database.em.fork().transactional(isUnreachable)))
        logger.warn(`no user has registered yet; the first user needs the setupSecret ${setupSecret}`)
      return
    } catch (error) {
      if (error instanceof WrongKeys || error instanceof UnfitDatabase) throw error
      logger.warn({ err: error, retryInMs: FIRST_LOOK_RETRY_MS }, 'the database is not as it should be')
      await pause(FIRST_LOOK_RETRY_MS, undefined, { ref: false })
    }
  }
}
