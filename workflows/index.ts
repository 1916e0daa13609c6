import './sandbox.ts'

export { accountSyncWorkflow } from './accounts/sync.ts'
export { allAccountsSyncWorkflow } from './accounts/sync-all.ts'
export { dailySnapshotsWorkflow } from './accounts/daily-balances.ts'
export { flatByCloseWorkflow } from './flatten/by-close.ts'
export { flattenWorkflow } from './flatten/workflow.ts'
export { signalWorkflow } from './signal/workflow.ts'
