import './sandbox.ts'

export { accountSyncWorkflow } from './account/sync.ts'
export { allAccountsSyncWorkflow } from './account/sync-all.ts'
export { dailySnapshotsWorkflow } from './account/daily-balances.ts'
export { flatByCloseWorkflow } from './flatten/by-close.ts'
export { flattenWorkflow } from './flatten/workflow.ts'
export { signalWorkflow } from './signal/workflow.ts'
