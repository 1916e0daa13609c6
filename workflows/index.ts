export { signalWorkflow } from './signal.workflow.ts'
