import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order.ts'
import { cancelOrder, orderChanged, ORDER_NOT_CANCELLABLE, type OrderCancel } from './contract.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderFollower } from './follower.ts'

export function answerOrderMessages(run: OrderFollower): void {
  setHandler(orderChanged, (report: OrderReport) => void run.note(report), {
    description: 'The broker feed: an order has ended or filled further',
  })
  setHandler(
    cancelOrder,
    async ({ clientOrderId, by }: OrderCancel) => {
      const at = workflowNow()
      run.unjudged += 1
      try {
        // The feed may have heard of the order before the workflow knows that it was accepted.
        if (run.isOnItsWay(clientOrderId)) await condition(() => !run.isOnItsWay(clientOrderId))
        assertCancellable(run, clientOrderId)
        // The first of several requests counts, and all get the same answer.
        if (run.orderCancel?.clientOrderId !== clientOrderId)
          run.orderCancel = { clientOrderId, by, at, isAsked: false }
      } finally {
        run.unjudged -= 1
      }
      const cancel = run.orderCancel
      await condition(() => cancel.isAsked || run.hasEnded(clientOrderId))
      return run.cancelAnswer(clientOrderId)
    },
    {
      validator: ({ clientOrderId }: OrderCancel) => {
        if (!run.isOnItsWay(clientOrderId)) assertCancellable(run, clientOrderId)
      },
      description: 'Cancels an order, or has its broker cancel it',
    },
  )
}

function assertCancellable(run: OrderFollower, clientOrderId: string): void {
  const reason = run.whyNotCancellable(clientOrderId)
  if (reason !== null) throw ApplicationFailure.nonRetryable(`The order ${reason}`, ORDER_NOT_CANCELLABLE)
}
