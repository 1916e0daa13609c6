import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow'
import { ORDER_CHANGED, type OrderChanged, type UpdateRejection } from '../signal/contract.ts'
import {
  AWAIT_PLACEMENT,
  CANCEL_ORDER,
  ORDER_PROGRESS,
  type CancelAnswer,
  type OrderCancel,
  type OrderProgress,
  type PlacementAnswer,
} from './contract.ts'
import type { OrderRun } from './run.ts'

const awaitPlacement = defineUpdate<PlacementAnswer>(AWAIT_PLACEMENT)
const cancelOrder = defineUpdate<CancelAnswer, [OrderCancel]>(CANCEL_ORDER)
const orderChanged = defineSignal<[OrderChanged]>(ORDER_CHANGED)
const orderProgress = defineQuery<OrderProgress>(ORDER_PROGRESS)

/** Answers the messages of a run from its first moment on: one may come before the story begins. */
export function answerOrderMessages(run: OrderRun): void {
  setHandler(
    awaitPlacement,
    async () => {
      await condition(() => run.hasOutcome)
      return run.placement
    },
    { description: 'Answers once the order is with the broker or known not to be placed' },
  )
  setHandler(
    cancelOrder,
    async (cancel: OrderCancel) => {
      // Of several who want it cancelled the first one counts, and all are told the same.
      run.cancel ??= cancel
      await condition(() => run.hasEnded || run.cancelIsAsked)
      return run.cancelAnswer
    },
    {
      validator: (_: OrderCancel) => {
        if (run.hasEnded) throw notCancellable(`The order is ${run.status}`)
      },
      description: 'Cancels the order, or has its broker cancel it',
    },
  )
  setHandler(orderChanged, (report: OrderChanged) => run.note(report), {
    description: 'The broker feed: the order has ended or filled further',
  })
  setHandler(orderProgress, () => run.progress, { description: 'What the order waits for, in words' })
}

const notCancellable = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, 'ORDER_NOT_CANCELLABLE' satisfies UpdateRejection)
