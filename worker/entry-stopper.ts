import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client'
import type { EntryStopper } from '#activities/flatten/round.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { cancelOrder } from '#workflows/order/contract.ts'
import { withdrawSignal } from '#workflows/signal/contract.ts'

/** Milliseconds until a workflow has taken up that its entry is to end; what it has not is asked again. */
const ASKED_WITHIN = 5_000

/** Stops entries by their workflows, which see them to their end. */
export function entryStopper(client: Client): EntryStopper {
  /** False where it is refused, or nothing is to be stopped any more. */
  const isTakenUp = async (ask: () => Promise<unknown>): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + ASKED_WITHIN, ask)
      return true
    } catch (error) {
      const isOver = error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError
      if (!isOver) throw error
      return false
    }
  }
  return {
    async stop({ signalId, clientOrderId, how }, { by, askId }) {
      const workflow = client.workflow.getHandle(workflowIdFor(signalId))
      const waitForStage = 'ACCEPTED'
      const withdraw = () =>
        workflow.startUpdate(withdrawSignal, {
          updateId: `${askId}-withdraw`,
          args: [{ by }],
          waitForStage,
        })
      const cancel = () =>
        workflow.startUpdate(cancelOrder, { updateId: askId, args: [{ clientOrderId, by }], waitForStage })
      if (how !== 'working' && (await isTakenUp(withdraw))) return
      await isTakenUp(cancel)
    },
  }
}
