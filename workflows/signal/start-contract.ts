import { WORKFLOW_TASK_WITHIN } from '#domain/order/entry-order.ts'
import {
  FIRST_STATUS,
  isUnplaced,
  type SignalStatus,
  workflowIdFor,
  type SignalTerms,
} from '#domain/signal/signal.ts'
import { describeEntry, describeExit } from '../steps/describe.ts'
import { searchAttributesOf, type SignalInput } from './contract.ts'
import { scheduledQueueOf } from './queue-contract.ts'

/** First start of a workflow id; any later run loads the work of earlier ones. */
export const firstStart = (terms: SignalTerms, taskQueue: string) => ({
  ...startOf({ terms }, FIRST_STATUS[terms.executeMode], taskQueue),
  workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
})

/** Start for open work without a run. */
export const laterStart = (terms: SignalTerms, status: SignalStatus, taskQueue: string) => ({
  ...startOf({ terms, loads: true }, status, taskQueue),
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
})

const startOf = (input: SignalInput, status: SignalStatus, taskQueue: string) => ({
  workflowId: workflowIdFor(input.terms.signalId),
  workflowTaskTimeout: WORKFLOW_TASK_WITHIN,
  ...queueAndInput(input, status, taskQueue),
  typedSearchAttributes: searchAttributesOf(input.terms, status),
  staticSummary: describeEntry(input.terms),
  staticDetails: inMarkdown({
    Entry: describeEntry(input.terms),
    Exit: describeExit(input.terms) ?? 'none',
    Accepted: input.terms.acceptedAt,
    'Not sent after': input.terms.sendBefore ?? input.terms.validUntil ?? 'no limit',
    Account: input.terms.accountId,
  }),
})

/** A scheduled signal stays in its queue until its entry is sent. */
function queueAndInput(
  input: SignalInput,
  status: SignalStatus,
  taskQueue: string,
): { taskQueue: string; args: [SignalInput] } {
  const mustBeSent = isUnplaced(status)
  return input.terms.executeMode === 'scheduled' && mustBeSent
    ? { taskQueue: scheduledQueueOf(taskQueue), args: [{ ...input, thenQueue: taskQueue }] }
    : { taskQueue, args: [input] }
}

const inMarkdown = (rows: Record<string, string>): string =>
  Object.entries(rows)
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n')
