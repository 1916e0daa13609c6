import { FIRST_STATUS } from '#domain/signal-status.ts'
import { orderWorkflowIdFor, type ManualOrderTerms } from '#domain/manual-order.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal.ts'
import { searchAttributesOfOrder } from '#workflows/manual-order/contract.ts'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import { searchAttributesOf } from '#workflows/signal/contract.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { describeEntry, describeExit, describeManualOrder } from '#workflows/steps/describe.ts'
import type { WorkflowStartOptions } from '@temporalio/client'

/** The workflow of a signal or an order runs once for ever: its id is never used again, whatever became of it. */
const ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  // After a worker's death another one takes over that soon.
  workflowTaskTimeout: '5s',
} as const

export const signalStartOptions = (
  terms: SignalTerms,
  taskQueue: string,
): WorkflowStartOptions<typeof signalWorkflow> => ({
  ...ONCE,
  workflowId: workflowIdFor(terms.signalId),
  args: [{ terms }],
  taskQueue,
  typedSearchAttributes: searchAttributesOf(terms, FIRST_STATUS[terms.executeMode]),
  staticSummary: describeEntry(terms),
  staticDetails: markdown({
    Entry: describeEntry(terms),
    Exit: describeExit(terms) ?? 'none',
    Accepted: terms.acceptedAt,
    'Not sent after': terms.sendBefore ?? terms.validUntil ?? 'no limit',
    Account: terms.accountId,
  }),
})

export const orderStartOptions = (
  terms: ManualOrderTerms,
  taskQueue: string,
): WorkflowStartOptions<typeof orderWorkflow> => ({
  ...ONCE,
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

/** What an operator reads above the history, as markdown. */
const markdown = (rows: Record<string, string>): string =>
  Object.entries(rows)
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n')
