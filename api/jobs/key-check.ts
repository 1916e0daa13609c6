import type { Database } from '#db/engine/database.ts'
import { requireKnownKeys, WrongKeys } from '#db/brokers/key-checks.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import type { Logger } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds until the database is asked again that did not answer. */
const KEY_CHECK_RETRY_MS = 2_000

/**
 * Makes sure that this process has the keys by which the data is encrypted, as soon as the database answers.
 * Resolves when it has; rejects with {@link WrongKeys} when it has not.
 *
 * @param checks keys derived for this purpose only
 */
export async function checkKeys(database: Database, checks: EncryptionKeys, logger: Logger): Promise<void> {
  for (;;) {
    try {
      return await requireKnownKeys(database.em, checks)
    } catch (error) {
      if (error instanceof WrongKeys) throw error
      logger.warn(
        { err: error, retryInMs: KEY_CHECK_RETRY_MS },
        'the keys could not be checked against the database',
      )
    }
    await pause(KEY_CHECK_RETRY_MS, undefined, { ref: false })
  }
}
