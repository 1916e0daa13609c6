import { type ManualOrderTerms, manualClientOrderId, orderWorkflowIdFor } from '#domain/manual-order.ts'
import { type PlacementAnswer, awaitPlacement } from '#workflows/manual-order/contract.ts'
import { type CancelAnswer, type OrderCancel, cancelOrder } from '#workflows/order/contract.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { orderWorkflow } from '#workflows/manual-order/workflow.ts'
import { ORDER_WORKFLOW } from '#workflows/names.ts'
import { WithStartWorkflowOperation, type WorkflowUpdateHandle } from '@temporalio/client'
import { randomUUID } from 'node:crypto'
import { GatewayUnavailable } from './signals.ts'
import { inAnswers } from './answers.ts'
import type { Calls } from './calls.ts'
import { orderStartOptions } from './start-options.ts'

export type CancelRecipient =
  | { placedBy: 'manual'; orderId: string; startWith: ManualOrderTerms | null }
  | { placedBy: 'signal'; signalId: string; clientOrderId: string }

/** Waits, idempotence and errors as in {@link SignalGateway}. */
export interface OrderGateway {
  placeOrder(terms: ManualOrderTerms, milliseconds: number): Promise<PlacementAnswer>
  /** Null when the workflow has taken it up and is not done in time: it goes on until the order has ended. */
  cancelOrder(
    to: CancelRecipient,
    cancel: Pick<OrderCancel, 'by'>,
    milliseconds: number,
  ): Promise<CancelAnswer | null>
}

const PLACEMENT_UPDATE_ID = 'placement'

export function orderCalls({ client, taskQueue, bounded }: Calls): OrderGateway {
  const startOperation = (terms: ManualOrderTerms) =>
    new WithStartWorkflowOperation<typeof orderWorkflow>(ORDER_WORKFLOW, {
      ...orderStartOptions(terms, taskQueue),
      workflowIdConflictPolicy: 'USE_EXISTING',
    })

  function askToCancel(
    to: CancelRecipient,
    { by }: Pick<OrderCancel, 'by'>,
    updateId: string,
  ): Promise<WorkflowUpdateHandle<CancelAnswer>> {
    const isSignals = to.placedBy === 'signal'
    const clientOrderId = isSignals ? to.clientOrderId : manualClientOrderId(to.orderId)
    const args: [OrderCancel] = [{ clientOrderId, by }]
    const options = { updateId, waitForStage: 'ACCEPTED', args } as const
    if (isSignals || to.startWith === null) {
      const workflowId = isSignals ? workflowIdFor(to.signalId) : orderWorkflowIdFor(to.orderId)
      return client.workflow.getHandle(workflowId).startUpdate(cancelOrder, options)
    }
    const startWorkflowOperation = startOperation(to.startWith)
    return client.workflow.startUpdateWithStart(cancelOrder, { ...options, startWorkflowOperation })
  }

  async function cancel(
    to: CancelRecipient,
    order: Pick<OrderCancel, 'by'>,
    milliseconds: number,
  ): Promise<CancelAnswer | null> {
    const end = performance.now() + milliseconds
    const updateId = randomUUID()
    const update = await bounded(milliseconds, () => askToCancel(to, order, updateId))
    try {
      return await bounded(end - performance.now(), () => update.result())
    } catch (error) {
      if (error instanceof GatewayUnavailable) return null
      throw error
    }
  }

  return {
    placeOrder: (terms, milliseconds) =>
      inAnswers(
        bounded(milliseconds, () =>
          client.workflow.executeUpdateWithStart(awaitPlacement, {
            updateId: PLACEMENT_UPDATE_ID,
            startWorkflowOperation: startOperation(terms),
          }),
        ),
      ),
    cancelOrder: (...asked) => inAnswers(cancel(...asked)),
  }
}
