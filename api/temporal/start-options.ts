import { WORKFLOW_TASK_WITHIN } from '#domain/entry-times.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client'

/** By a request. Whoever finds open work without a run may take the id again (`watch-gateway.ts`). */
const STARTED_ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowTaskTimeout: WORKFLOW_TASK_WITHIN,
} as const

/** False where a workflow of that id runs, or has run and may not again. */
export const startedOnce = async (started: Promise<unknown>): Promise<boolean> => {
  try {
    await started
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

export const flattenStartOptions = (
  flattenId: string,
  taskQueue: string,
): WorkflowStartOptions<typeof flattenWorkflow> => ({
  ...STARTED_ONCE,
  workflowId: flattenWorkflowIdFor(flattenId),
  args: [{ flattenId }],
  taskQueue,
  staticSummary: 'Close everything',
})
