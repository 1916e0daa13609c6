import { allHandlersFinished, condition } from '@temporalio/workflow'
import type { EndedBefore } from '#activities/contract.ts'
import { cancelledDetail, manualOrderToSend, type ManualOrderDecision } from '#domain/manual-order.ts'
import { isPositive } from '#domain/decimal.ts'
import { figure, sharesOf } from '#domain/figures.ts'
import { followOrder } from '../order/follow.ts'
import { attemptUnlessStopped, openOrder, type Decided, type Opening } from '../order/leg.ts'
import { recordTransmitted } from '../order/submit.ts'
import { describeManualOrder } from '../steps/describe.ts'
import { persistStep, step, tryStep } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'
import type { OrderInput, OrderOutcome } from './contract.ts'
import { answerMessages } from './messages.ts'
import { OrderRun, type ReadyOrder } from './run.ts'

export async function orderWorkflow({ terms, resumeState }: OrderInput): Promise<OrderOutcome> {
  const run = new OrderRun(terms, resumeState)
  answerMessages(run)

  if (run.phase === 'checking') await openOrder(run, opening(run))
  if (run.phase === 'working') {
    await followOrder(run, run.clientOrderId, { name: 'order' })
    await close(run)
  }

  run.waitFor(null)
  await condition(allHandlersFinished)
  return run.outcome
}

const opening = (run: OrderRun): Opening<ReadyOrder> => ({
  isStopped: () => run.isStopped,
  decide: () => decide(run),
  stop: () => cancelUnsent(run),
  decided: () => void (run.phase = 'sending'),
  takenBack(detail) {
    run.phase = 'checking'
    run.waitFor(`another decision on the order (${detail})`)
  },
  order(ready) {
    run.decide(ready)
    return {
      name: 'order',
      ...manualOrderToSend(run.terms, ready),
      inDoubt: async (trouble) => void (await recordTransmitted(run, trouble)),
    }
  },
  accepted: () => void (run.phase = 'working'),
  endedBefore: ({ status, detail }) =>
    status === 'rejected'
      ? run.endUnsent('REJECTED', detail ?? 'Rejected')
      : run.endUnsent('CANCELLED', detail ?? 'Cancelled before it was sent'),
  notPlaced: ({ detail }) => run.endUnsent('REJECTED', detail),
})

function decide(run: OrderRun): Promise<Decided<ManualOrderDecision | EndedBefore> | null> {
  const { terms } = run
  const what = describeManualOrder(terms)
  return attemptUnlessStopped(run, {
    attempt: () => tryStep('attemptManualOrder', `Check and send the order: ${what}`, terms),
    check: 'prepareManualOrder',
    summary: `Check and size the order: ${what}`,
    terms,
    until: null,
    waitForStop: () => condition(() => run.isStopped),
  })
}

async function cancelUnsent(run: OrderRun): Promise<boolean> {
  const { by, at = workflowNow() } = run.orderCancel!
  const detail = cancelledDetail(by)
  const stopping = await persistStep('recordCancelled', `Record that the order is cancelled`, {
    ...run.owner,
    at,
    reason: 'WITHDRAWN',
    detail,
  })
  if (stopping === 'stopped') run.endUnsent('CANCELLED', detail)
  else run.isTooLateToStop = true
  return stopping === 'stopped'
}

async function close(run: OrderRun): Promise<void> {
  run.phase = 'ended'
  const { filledQuantity, quantity, avgFillPrice, status, reason } = run.placed(run.clientOrderId)
  const filled = isPositive(filledQuantity)
    ? `${sharesOf(filledQuantity, quantity)} filled at ${figure(avgFillPrice ?? '0')}`
    : 'nothing filled'
  await step('recordClosed', 'Record the end', {
    orderId: run.terms.orderId,
    at: workflowNow(),
    acknowledges: run.endedOrders,
    message: `The order has ended ${status}, ${filled}${reason === null ? '' : ` (${reason})`}`,
  })
}
