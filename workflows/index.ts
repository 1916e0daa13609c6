export { accountSyncWorkflow } from './account-sync.workflow.ts'
export { allAccountsSyncWorkflow } from './all-accounts-sync.workflow.ts'
export { orderWorkflow } from './order.workflow.ts'
export { signalWorkflow } from './signal.workflow.ts'
