import { mapLimit } from '#domain/async/map-limit.ts'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ChildWorkflowFailure,
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow'
import type { AccountSyncActivities } from '#activities/contract.ts'
import {
  accountSyncIdFor,
  type AccountSyncInput,
  type AccountSyncOutcome,
  type AllAccountsSynced,
  type AllAccountsSyncInput,
} from './sync-contract.ts'
import { accountSyncWorkflow } from './sync.ts'
import { searchAttributes } from '../signal/contract.ts'

const { listAccountsToSync } = proxyActivities<AccountSyncActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' },
})

/** The next accounts get a fresh history. */
const ACCOUNTS_A_RUN = 200
/** Brokers limit requests, and orders come first. */
const SYNCS_AT_ONCE = 10

/** Syncs each account in its own workflow. */
export async function allAccountsSyncWorkflow(
  resumeState?: AllAccountsSyncInput,
): Promise<AllAccountsSynced> {
  const totals = { synced: resumeState?.synced ?? 0, failed: resumeState?.failed ?? 0 }
  const summary = 'List the accounts'
  const page = await listAccountsToSync.executeWithOptions({ summary }, [
    { after: resumeState?.after ?? null, limit: ACCOUNTS_A_RUN },
  ])
  await mapLimit(SYNCS_AT_ONCE, page, async (accountId) => {
    const isSynced = await syncOne({ accountId })
    totals[isSynced ? 'synced' : 'failed'] += 1
    setCurrentDetails(`${totals.synced} accounts are synced, ${totals.failed} could not be`)
  })
  const last = page.at(-1)
  if (page.length < ACCOUNTS_A_RUN || last === undefined) return totals
  return continueAsNew<typeof allAccountsSyncWorkflow>({ ...totals, after: last })
}

/** True also while another sync runs. */
async function syncOne(input: AccountSyncInput): Promise<boolean> {
  try {
    const { outcome }: AccountSyncOutcome = await executeChild(accountSyncWorkflow, {
      workflowId: accountSyncIdFor(input.accountId),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: [{ key: searchAttributes.accountId, value: input.accountId }],
      staticSummary: 'Regular sync',
    })
    return outcome === 'synced'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return true
    if (error instanceof ChildWorkflowFailure) return false
    throw error
  }
}
