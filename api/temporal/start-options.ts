import { WORKFLOW_TASK_WITHIN } from '#domain/entry-times.ts'
import { FIRST_STATUS } from '#domain/signal-status.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import { orderWorkflowIdFor, type ManualOrderTerms } from '#domain/manual-order.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
import type { flattenWorkflow } from '#workflows/flatten/workflow.ts'
import { searchAttributesOfOrder } from '#workflows/manual-order/contract.ts'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import { searchAttributesOf, type ResumeState, type SignalInput } from '#workflows/signal/contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { describeEntry, describeExit, describeManualOrder } from '#workflows/steps/describe.ts'
import { scheduledQueueOf } from '#workflows/signal/queue-contract.ts'
import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client'

/** The id is never used again, whatever became of the workflow. */
const STARTED_ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowTaskTimeout: WORKFLOW_TASK_WITHIN,
} as const

export const startedOnce = async (started: Promise<unknown>): Promise<void> => {
  await started.catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  })
}

export const signalStartOptions = (
  terms: SignalTerms,
  taskQueue: string,
  resumeState: ResumeState | null = null,
): WorkflowStartOptions<typeof signalWorkflow> => ({
  ...STARTED_ONCE,
  workflowId: workflowIdFor(terms.signalId),
  ...queueAndInput({ terms, ...(resumeState && { resumeState }) }, taskQueue),
  typedSearchAttributes: searchAttributesOf(terms, resumeState?.status ?? FIRST_STATUS[terms.executeMode]),
  staticSummary: describeEntry(terms),
  staticDetails: markdown({
    Entry: describeEntry(terms),
    Exit: describeExit(terms) ?? 'none',
    Accepted: terms.acceptedAt,
    'Not sent after': terms.sendBefore ?? terms.validUntil ?? 'no limit',
    Account: terms.accountId,
  }),
})

/** A scheduled signal stays in the scheduled queue until its entry is sent, also when it is started again. */
function queueAndInput(input: SignalInput, taskQueue: string): { taskQueue: string; args: [SignalInput] } {
  const { phase = 'waiting' } = input.resumeState ?? {}
  const isToBeSent = phase === 'waiting' || phase === 'checking'
  return input.terms.executeMode === 'scheduled' && isToBeSent
    ? { taskQueue: scheduledQueueOf(taskQueue), args: [{ ...input, thenQueue: taskQueue }] }
    : { taskQueue, args: [input] }
}

export const orderStartOptions = (
  terms: ManualOrderTerms,
  taskQueue: string,
): WorkflowStartOptions<typeof orderWorkflow> => ({
  ...STARTED_ONCE,
  workflowId: orderWorkflowIdFor(terms.orderId),
  args: [{ terms }],
  taskQueue,
  typedSearchAttributes: searchAttributesOfOrder(terms),
  staticSummary: `Manual order: ${describeManualOrder(terms)}`,
  staticDetails: markdown({
    Order: describeManualOrder(terms),
    Placed: terms.acceptedAt,
    'Not sent after': terms.sendBefore,
    Account: terms.accountId,
  }),
})

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

const markdown = (rows: Record<string, string>): string =>
  Object.entries(rows)
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n')
