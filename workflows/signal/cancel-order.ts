import { ApplicationFailure, condition, defineUpdate, setHandler } from '@temporalio/workflow'
import { isWorking } from '#domain/order.ts'
import { askToCancel } from '../order/cancel.ts'
import {
  CANCEL_SIGNAL_ORDER,
  type CancelAnswer,
  type UpdateRejection,
  type SignalOrderCancel,
} from './contract.ts'
import type { SignalRun } from './run.ts'
import { persistStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

const cancelOrder = defineUpdate<CancelAnswer, [SignalOrderCancel]>(CANCEL_SIGNAL_ORDER)

/**
 * Handles requests to cancel a working order of the signal. The signal goes on: the filled part of the entry gets its
 * exit, and after a cancelled exit the position stays open.
 */
export function answerOrderCancels(run: SignalRun): void {
  setHandler(
    cancelOrder,
    async ({ clientOrderId, by }: SignalOrderCancel): Promise<CancelAnswer> => {
      if (isBeingSent(run, clientOrderId)) await condition(() => run.hasEntryOutcome)
      if (!isCancellable(run, clientOrderId)) throw notCancellable(run, clientOrderId)
      // Of several requests the first one counts, and all get the same answer.
      if (run.orderCancel?.clientOrderId !== clientOrderId)
        run.orderCancel = { clientOrderId, by, isAsked: false }
      const cancel = run.orderCancel
      await condition(() => cancel.isAsked || run.hasEnded(clientOrderId))
      const { status, filledQuantity } = run.report(clientOrderId)!
      return { status, filledQuantity }
    },
    {
      validator: ({ clientOrderId }: SignalOrderCancel) => {
        if (!isBeingSent(run, clientOrderId) && !isCancellable(run, clientOrderId))
          throw notCancellable(run, clientOrderId)
      },
      description: 'Has the broker cancel an order of the signal',
    },
  )
}

/** The feed may report the entry before the workflow knows that the broker accepted it. */
const isBeingSent = (run: SignalRun, clientOrderId: string): boolean =>
  run.phase === 'sending' && clientOrderId === run.entryId

function isCancellable(run: SignalRun, clientOrderId: string): boolean {
  const report = run.report(clientOrderId)
  if (!report || !isWorking(report.status)) return false
  return clientOrderId === run.entryId
    ? run.phase === 'working'
    : run.exit.workingOrder?.clientOrderId === clientOrderId
}

function notCancellable(run: SignalRun, clientOrderId: string): ApplicationFailure {
  const report = run.report(clientOrderId)
  const state = report ? `is ${report.status}` : 'is not known to be at the broker'
  const type: UpdateRejection = 'ORDER_NOT_CANCELLABLE'
  return ApplicationFailure.nonRetryable(`The order ${state}`, type)
}

/** A cancel of this order was requested, and the broker has not been asked yet. */
export const isCancelDue = (run: SignalRun, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** Asks the broker for the requested cancel; the feed reports the end of the order. */
export async function cancelSignalOrder(run: SignalRun, clientOrderId: string): Promise<void> {
  const { orderCancel, terms } = run
  const order = run.report(clientOrderId)
  if (orderCancel === null || !order) throw new TypeError(`no cancel of ${clientOrderId} was requested`)
  const { by } = orderCancel
  run.waitFor(`the broker to cancel ${clientOrderId}, as ${by} asked`)
  const { accountId, signalId } = terms
  const report = await askToCancel({ accountId, brokerOrderId: order.brokerOrderId, by }, () =>
    persistStep('recordCancelRequested', `Record that ${by} asked to cancel ${clientOrderId}`, {
      signalId,
      at: workflowNow(),
      clientOrderId,
      by,
    }),
  )
  if (report) run.note(report)
  orderCancel.isAsked = true
}
