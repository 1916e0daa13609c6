import type * as workflows from './index.ts'

/** The names under which Temporal knows the workflows: those of the functions that `index.ts` exports. */
type WorkflowName = keyof typeof workflows

export const SIGNAL_WORKFLOW = 'signalWorkflow' satisfies WorkflowName
export const ORDER_WORKFLOW = 'orderWorkflow' satisfies WorkflowName
/** Syncs one account; at most one runs for each. */
export const ACCOUNT_SYNC_WORKFLOW = 'accountSyncWorkflow' satisfies WorkflowName
/** Syncs every active account; started by the schedule `sync-accounts`. */
export const ALL_ACCOUNTS_SYNC_WORKFLOW = 'allAccountsSyncWorkflow' satisfies WorkflowName
/** Records the balances of the day; started by the schedule `daily-snapshots`. */
export const DAILY_SNAPSHOTS_WORKFLOW = 'dailySnapshotsWorkflow' satisfies WorkflowName
/** Closes everything of one flattening. */
export const FLATTEN_WORKFLOW = 'flattenWorkflow' satisfies WorkflowName
/** Begins what is to be flat by the close; started by the schedule `flat-by-close`. */
export const FLAT_BY_CLOSE_WORKFLOW = 'flatByCloseWorkflow' satisfies WorkflowName
