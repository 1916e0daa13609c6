import type { Account } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'

/** Each request waits ten seconds for the sync that runs; as many are sent for one press. */
const MAX_REQUESTS = 6

/**
 * Syncs an account now, and resolves with when it was. While it runs it is asked about again: whoever asks joins the one
 * that runs. Throws a {@link Problem} when it has failed, or has not ended in about a minute.
 *
 * @param isWanted asked between two requests, so that a page that is left asks no more
 */
export async function syncNow(
  { id }: Pick<Account, 'id'>,
  isWanted: () => boolean = () => true,
): Promise<string | null> {
  for (let request = 0; request < MAX_REQUESTS && isWanted(); request += 1) {
    const { body } = await ask('POST /api/v1/accounts/{accountId}/sync', { path: { accountId: id } })
    if (body.syncedAt !== null) return body.syncedAt
  }
  if (!isWanted()) return null
  throw new Problem(202, 'STILL_RUNNING', 'It is still running, and goes on. Look again later.', null)
}
