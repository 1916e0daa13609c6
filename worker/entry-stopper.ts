import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client'
import type { EntryStopper } from '#activities/flatten/round.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { cancelOrder } from '#workflows/order/contract.ts'
import { withdrawSignal } from '#workflows/signal/contract.ts'

/** Milliseconds until a workflow has taken up that its entry is to end; what it has not is asked again. */
const ASKED_WITHIN = 5_000

/** Stops entries by their workflows, which see them to their end. */
export function entryStopper(client: Client): EntryStopper {
  /** Resolves when it is taken up, or is none to be stopped any more. */
  const asking = async (ask: () => Promise<unknown>): Promise<void> => {
    try {
      await client.withDeadline(Date.now() + ASKED_WITHIN, ask)
    } catch (error) {
      const isOver = error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError
      if (!isOver) throw error
    }
  }
  return {
    cancel: ({ signalId, orderId, clientOrderId }, { by, askId }) =>
      asking(() =>
        client.workflow
          .getHandle(signalId === null ? orderWorkflowIdFor(orderId) : workflowIdFor(signalId))
          .startUpdate(cancelOrder, {
            updateId: askId,
            args: [{ clientOrderId, by }],
            waitForStage: 'ACCEPTED',
          }),
      ),
    withdraw: (signalId, { by, askId }) =>
      asking(() =>
        client.workflow
          .getHandle(workflowIdFor(signalId))
          .startUpdate(withdrawSignal, { updateId: askId, args: [{ by }], waitForStage: 'ACCEPTED' }),
      ),
  }
}
