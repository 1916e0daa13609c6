import { heartbeat } from '@temporalio/activity'
import { activeAccountIds } from '#db/accounts.ts'
import type { EntityManager } from '#db/database.ts'
import type { AccountSyncOutcome } from '#workflows/account-sync-contract.ts'
import type { AccountSyncActivities } from './contract.ts'

export interface AccountSyncDependencies {
  em: EntityManager
  /** Compares an account with its broker; trouble at the broker is an outcome. */
  syncAccount(accountId: string): Promise<AccountSyncOutcome>
}

/** The activities of syncing accounts. */
export const createAccountSyncActivities = ({
  em,
  syncAccount,
}: AccountSyncDependencies): AccountSyncActivities => ({
  syncAccount: ({ accountId }) => withHeartbeat(() => syncAccount(accountId)),
  listAccountsToSync: ({ after, limit }) => activeAccountIds(em, after, limit),
})

/** Milliseconds; a fraction of the heartbeat timeout of the workflow. */
const BEAT_EVERY = 1_000

/** Tells Temporal that this process lives for as long as the work takes, which may be long: an account may have many orders. */
async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, BEAT_EVERY)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
