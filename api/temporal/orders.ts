import { type CancelAnswer, type OrderCancel, cancelOrder } from '#workflows/order/contract.ts'
import { laterStart } from '#workflows/signal/start-contract.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { randomUUID } from 'node:crypto'
import { GatewayUnavailable, type Recipient } from './signals.ts'
import { inAnswers } from './answers.ts'
import type { Calls } from './calls.ts'

/** Waits, idempotence and errors as in {@link SignalGateway}. */
export interface OrderGateway {
  /** Null when the workflow has taken it up and is not done in time: it goes on until the order has ended. */
  cancelOrder(to: Recipient, cancel: OrderCancel, milliseconds: number): Promise<CancelAnswer | null>
}

export function orderCalls({ client, taskQueue, bounded }: Calls): OrderGateway {
  async function cancel(
    { terms, status }: Recipient,
    order: OrderCancel,
    milliseconds: number,
  ): Promise<CancelAnswer | null> {
    const end = performance.now() + milliseconds
    const update = await bounded(milliseconds, () =>
      client.workflow.startUpdateWithStart(cancelOrder, {
        updateId: randomUUID(),
        waitForStage: 'ACCEPTED',
        args: [order],
        startWorkflowOperation: new WithStartWorkflowOperation<typeof signalWorkflow>(SIGNAL_WORKFLOW, {
          ...laterStart(terms, status, taskQueue),
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
    )
    try {
      return await bounded(end - performance.now(), () => update.result())
    } catch (error) {
      if (error instanceof GatewayUnavailable) return null
      throw error
    }
  }

  return { cancelOrder: (...asked) => inAnswers(cancel(...asked)) }
}
