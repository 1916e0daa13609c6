import type { AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'

/** What the API asks of the workflow engine about syncing accounts. */
export interface AccountSyncGateway {
  /**
   * Syncs an account, or joins the sync that is under way, and waits for its end for at most `milliseconds`. Throws
   * `AnswerOverdue` when it has not ended by then and goes on, `GatewayUnavailable` when the engine cannot be reached,
   * and {@link SyncGivenUp}.
   */
  syncAccount(accountId: string, milliseconds: number): Promise<AccountSyncOutcome>
}

/** The sync ended without an outcome, for trouble of our own that lasted. */
export class SyncGivenUp extends Error {
  override readonly name = 'SyncGivenUp'
}
