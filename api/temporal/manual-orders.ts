import { orderWorkflowIdFor, type ManualOrderTerms } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { CANCEL_SIGNAL_ORDER, type SignalOrderCancel } from '#workflows/signal/contract.ts'
import {
  AWAIT_PLACEMENT,
  CANCEL_ORDER,
  ORDER_WORKFLOW,
  searchAttributesOfOrder,
  type CancelAnswer,
  type OrderCancel,
  type OrderInput,
  type PlacementAnswer,
} from '#workflows/manual-order/contract.ts'
import { describeManualOrder } from '#workflows/steps/describe.ts'
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
  type WorkflowUpdateHandle,
} from '@temporalio/client'
import { randomUUID } from 'node:crypto'
import type { CancelRecipient, OrderGateway } from './orders.ts'
import { GatewayUnavailable } from './signals.ts'
import { asAnswer } from './answers.ts'

type OrderWorkflow = (input: OrderInput) => Promise<unknown>

/** One update id for every request, so that repeated waiting is one update in the history. */
const PLACEMENT_UPDATE_ID = 'placement'
/** A start that takes longer is tried again later. */
const START_DEADLINE = 5_000

/** How the gateway reaches Temporal. */
interface Calls {
  client: Client
  taskQueue: string
  /** Makes an idempotent call, again and again while Temporal is not there, until the time is over. */
  bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T>
}

/** What is asked of Temporal about single orders. */
export function orderCalls({ client, taskQueue, bounded }: Calls): OrderGateway {
  const startOperation = (terms: ManualOrderTerms) =>
    new WithStartWorkflowOperation<OrderWorkflow>(ORDER_WORKFLOW, {
      ...orderStartOptions(terms, taskQueue),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })

  /** Resolves when the workflow has taken the cancel up; from then on it is in its history. */
  function askToCancel(
    to: CancelRecipient,
    cancel: OrderCancel,
    updateId: string,
  ): Promise<WorkflowUpdateHandle<CancelAnswer>> {
    const options = { updateId, waitForStage: 'ACCEPTED' } as const
    if (to.placedBy === 'signal') {
      const { signalId, clientOrderId } = to
      return client.workflow
        .getHandle(workflowIdFor(signalId))
        .startUpdate<CancelAnswer, [SignalOrderCancel]>(CANCEL_SIGNAL_ORDER, {
          ...options,
          args: [{ ...cancel, clientOrderId }],
        })
    }
    return to.startWith === null
      ? client.workflow
          .getHandle(orderWorkflowIdFor(to.orderId))
          .startUpdate<CancelAnswer, [OrderCancel]>(CANCEL_ORDER, { ...options, args: [cancel] })
      : client.workflow.startUpdateWithStart<OrderWorkflow, CancelAnswer, [OrderCancel]>(CANCEL_ORDER, {
          ...options,
          args: [cancel],
          startWorkflowOperation: startOperation(to.startWith),
        })
  }

  return {
    async placeOrder(terms, milliseconds) {
      try {
        return await bounded(milliseconds, () =>
          client.workflow.executeUpdateWithStart<OrderWorkflow, PlacementAnswer, []>(AWAIT_PLACEMENT, {
            updateId: PLACEMENT_UPDATE_ID,
            startWorkflowOperation: startOperation(terms),
          }),
        )
      } catch (error) {
        throw asAnswer(error)
      }
    },

    startOrder: (terms, milliseconds = START_DEADLINE) =>
      bounded(milliseconds, async () => {
        try {
          await client.workflow.start<OrderWorkflow>(ORDER_WORKFLOW, orderStartOptions(terms, taskQueue))
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
        }
      }),

    async cancelOrder(to, cancel, milliseconds) {
      const end = performance.now() + milliseconds
      const updateId = randomUUID()
      try {
        const update = await bounded(milliseconds, () => askToCancel(to, cancel, updateId))
        try {
          return await bounded(end - performance.now(), () => update.result())
        } catch (error) {
          if (error instanceof GatewayUnavailable) return null
          throw error
        }
      } catch (error) {
        throw asAnswer(error)
      }
    },
  }
}

/** An order's workflow runs once for ever: its id is never used again, whatever became of it. */
export function orderStartOptions(
  terms: ManualOrderTerms,
  taskQueue: string,
): WorkflowStartOptions<OrderWorkflow> {
  return {
    workflowId: orderWorkflowIdFor(terms.orderId),
    args: [{ terms }],
    taskQueue,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    // After a worker's death another one takes over that soon.
    workflowTaskTimeout: '5s',
    typedSearchAttributes: searchAttributesOfOrder(terms),
    staticSummary: `Manual order: ${describeManualOrder(terms)}`,
    staticDetails: [
      `- **Order:** ${describeManualOrder(terms)}`,
      `- **Placed:** ${terms.acceptedAt}`,
      `- **Not sent after:** ${terms.sendBefore}`,
      `- **Account:** ${terms.accountId}`,
    ].join('\n'),
  }
}
