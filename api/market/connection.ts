import { listOwnConnections, type AccountConnection } from '#db/accounts/sync.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

/**
 * The account whose broker tells prices: the one that is named, or the first that was connected. Throws {@link ApiError}
 * ACCOUNT_NOT_FOUND, NO_MARKET_DATA_ACCOUNT.
 */
export async function pricingConnection(
  { em, principal, beforeDatabaseDeadline }: Caller,
  accountId: string | undefined,
): Promise<AccountConnection> {
  const connections = await beforeDatabaseDeadline(listOwnConnections(em, principal.userId))
  const found =
    accountId === undefined ? connections[0] : connections.find((one) => one.accountId === accountId)
  if (!found) throw new ApiError(accountId === undefined ? 'NO_MARKET_DATA_ACCOUNT' : 'ACCOUNT_NOT_FOUND')
  return found
}
