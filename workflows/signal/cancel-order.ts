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
 * Answers who wants an order of the signal cancelled that works at the broker. The life of the signal goes on: what the
 * entry has filled gets its exit, and after a cancelled exit the position stays.
 */
export function answerOrderCancels(run: SignalRun): void {
  setHandler(
    cancelOrder,
    async ({ clientOrderId, by }: SignalOrderCancel): Promise<CancelAnswer> => {
      if (isBeingSent(run, clientOrderId)) await condition(() => run.hasEntryOutcome)
      if (!isCancellable(run, clientOrderId)) throw notCancellable(run, clientOrderId)
      // Of several who want it cancelled the first one counts, and all are told the same.
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

/** The feed may have heard of the entry before the workflow knows that it was accepted. */
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

/** Somebody wants this order cancelled and the broker has not been asked yet. */
export const isCancelDue = (run: SignalRun, clientOrderId: string): boolean =>
  run.orderCancel?.clientOrderId === clientOrderId && !run.orderCancel.isAsked

/** Asks the broker to cancel an order that somebody wants cancelled; the feed tells of its end. */
export async function cancelSignalOrder(run: SignalRun, clientOrderId: string): Promise<void> {
  const { orderCancel, terms } = run
  const order = run.report(clientOrderId)
  if (orderCancel === null || !order) throw new TypeError(`nobody wants ${clientOrderId} to be cancelled`)
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
