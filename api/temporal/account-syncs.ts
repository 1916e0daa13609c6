import type { accountSyncWorkflow } from '#workflows/accounts/sync.ts'
import { accountSyncIdFor, type AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'
import { ACCOUNT_SYNC_WORKFLOW } from '#workflows/names.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { WorkflowFailedError } from '@temporalio/client'
import type { Calls } from './calls.ts'

/** The questions of the API to the workflow engine about syncing accounts. */
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

/** What is asked of Temporal about syncing accounts. */
export const accountSyncCalls = ({ client, taskQueue, bounded }: Calls): AccountSyncGateway => ({
  async syncAccount(accountId, milliseconds) {
    const end = Date.now() + milliseconds
    try {
      const sync = await bounded(milliseconds, () =>
        client.workflow.start<typeof accountSyncWorkflow>(ACCOUNT_SYNC_WORKFLOW, {
          workflowId: accountSyncIdFor(accountId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue,
          workflowTaskTimeout: '5s',
          args: [{ accountId }],
          typedSearchAttributes: [{ key: searchAttributes.accountId, value: accountId }],
          staticSummary: 'Sync on request',
        }),
      )
      return await bounded(end - Date.now(), () => sync.result())
    } catch (error) {
      throw error instanceof WorkflowFailedError ? new SyncGivenUp(error.message, { cause: error }) : error
    }
  },
})
