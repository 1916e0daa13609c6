import type { accountSyncWorkflow } from '#workflows/accounts/sync.ts'
import { accountSyncIdFor, type AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'
import { ACCOUNT_SYNC_WORKFLOW } from '#workflows/names.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { WorkflowFailedError } from '@temporalio/client'
import type { Calls } from './calls.ts'

export interface AccountSyncGateway {
  /**
   * Joins a sync that runs, which may not reach back to the UTC instant `since`. Throws `AnswerOverdue` when it goes on,
   * `GatewayUnavailable`, and {@link SyncGivenUp}.
   */
  syncAccount(accountId: string, milliseconds: number, since?: string): Promise<AccountSyncOutcome>
}

/** Ended without an outcome, by lasting trouble of our own. */
export class SyncGivenUp extends Error {
  override readonly name = 'SyncGivenUp'
}

export const accountSyncCalls = ({ client, taskQueue, bounded }: Calls): AccountSyncGateway => ({
  async syncAccount(accountId, milliseconds, since) {
    const end = Date.now() + milliseconds
    try {
      const sync = await bounded(milliseconds, () =>
        client.workflow.start<typeof accountSyncWorkflow>(ACCOUNT_SYNC_WORKFLOW, {
          workflowId: accountSyncIdFor(accountId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue,
          workflowTaskTimeout: '5s',
          args: [{ accountId, ...(since !== undefined && { since }) }],
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
