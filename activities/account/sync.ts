import { activeAccountIds } from '#db/account/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import type { AccountSyncActivities } from '../contract.ts'
import { withHeartbeat } from '../failures.ts'

export interface AccountSyncDependencies {
  em: EntityManager
  /** Trouble at the broker is an outcome, no error. */
  syncAccount(account: AccountSyncInput): Promise<AccountSyncOutcome>
}

export const createAccountSyncActivities = ({
  em,
  syncAccount,
}: AccountSyncDependencies): AccountSyncActivities => ({
  syncAccount: (account) => withHeartbeat(() => syncAccount(account)),
  listAccountsToSync: ({ after, limit }) => activeAccountIds(em, after, limit),
})
