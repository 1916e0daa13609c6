import type * as workflows from './index.ts'

type WorkflowName = keyof typeof workflows

export const SIGNAL_WORKFLOW = 'signalWorkflow' satisfies WorkflowName
export const ACCOUNT_SYNC_WORKFLOW = 'accountSyncWorkflow' satisfies WorkflowName
export const ALL_ACCOUNTS_SYNC_WORKFLOW = 'allAccountsSyncWorkflow' satisfies WorkflowName
export const DAILY_SNAPSHOTS_WORKFLOW = 'dailySnapshotsWorkflow' satisfies WorkflowName
export const FLATTEN_WORKFLOW = 'flattenWorkflow' satisfies WorkflowName
export const FLAT_BY_CLOSE_WORKFLOW = 'flatByCloseWorkflow' satisfies WorkflowName
