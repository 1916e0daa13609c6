import { isPositive } from '#domain/decimal.ts'
import { figure, sharesOf } from '#domain/figures.ts'
import { askToCancel, cancelRetryDeadline } from '../order/cancel.ts'
import type { OrderRun } from './run.ts'
import { persistStep, step } from '../steps/steps.ts'
import { waitUntil } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Sees the order to its end, however long it works, and has it cancelled if somebody wants that. */
export async function followManualOrder(run: OrderRun): Promise<void> {
  if (!run.hasEnded) {
    run.waitFor('the order to end')
    await waitUntil(run, () => run.hasEnded || run.cancel !== null, null)
  }
  for (let asked = 1; !run.hasEnded; asked += 1) {
    await cancel(run)
    run.waitFor('the broker to confirm the cancel')
    await waitUntil(run, () => run.hasEnded, cancelRetryDeadline(asked))
  }
  await close(run)
}

async function cancel(run: OrderRun): Promise<void> {
  if (run.cancel === null) throw new TypeError('nobody has cancelled the order')
  const { by } = run.cancel
  const { orderId, accountId } = run.terms
  const { clientOrderId, brokerOrderId } = run.report
  run.waitFor('the broker to take the cancel')
  const report = await askToCancel({ accountId, brokerOrderId, by }, () =>
    persistStep('recordManualOrderCancelRequested', `Record that ${by} asked to cancel the order`, {
      orderId,
      at: workflowNow(),
      clientOrderId,
      by,
    }),
  )
  if (report) run.note(report)
  run.cancelIsAsked = true
}

async function close(run: OrderRun): Promise<void> {
  run.phase = 'ended'
  const { clientOrderId, filledQuantity, quantity, avgFillPrice, status, reason } = run.report
  const filled = isPositive(filledQuantity)
    ? `${sharesOf(filledQuantity, quantity)} filled at ${figure(avgFillPrice ?? '0')}`
    : 'nothing filled'
  await step('recordManualOrderClosed', 'Record the end', {
    orderId: run.terms.orderId,
    at: workflowNow(),
    acknowledges: { clientOrderId, filledQuantity },
    message: `The order has ended ${status}, ${filled}${reason === null ? '' : ` (${reason})`}`,
  })
}
