import { condition } from '@temporalio/workflow'
import type { SubmitOrderResult } from '#activities/contract.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { ManualOrderDecision } from '#domain/manual-order.ts'
import type { OrderRun, ReadyOrder } from './run.ts'
import { sendOrder } from '../order/submit.ts'
import { mayHaveSent, persistStep, step, tryStep } from '../steps/steps.ts'
import { describeManualOrder } from '../steps/describe.ts'
import { runUnlessInterrupted } from '../steps/waits.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Checks, sizes and sends the order, unless somebody cancels it before that is decided. */
export async function place(run: OrderRun): Promise<void> {
  const decision = await untilDecided(run)
  if (decision === null) return
  run.phase = 'sending'
  if (decision.outcome === 'denied') return notPlaced(run, 'rejected', decision.code, decision.detail)

  run.decide(decision)
  const answer = await submit(run, decision)
  if (answer.outcome !== 'accepted')
    return notPlaced(
      run,
      answer.outcome === 'rejected' ? 'rejected' : 'not_placed',
      answer.code,
      answer.detail,
    )
  const { report } = answer
  await step('recordManualOrderAccepted', 'Record the accepted order', {
    accountId: run.terms.accountId,
    report,
  })
  run.note(report)
  run.phase = 'working'
}

/** Null when the order was cancelled before it was decided to send it, and has ended with that. */
async function untilDecided(run: OrderRun): Promise<ManualOrderDecision | null> {
  const summary = `Check and size the order: ${describeManualOrder(run.terms)}`
  const decision = run.cancel === null ? await decideUnlessCancelled(run, summary) : null
  if (decision !== null) return decision
  if (await cancelUnsent(run)) return null
  // It was decided by a worker whose loss left no trace of that here, so the order may be at the broker.
  return persistStep('prepareManualOrder', summary, run.terms)
}

async function decideUnlessCancelled(run: OrderRun, summary: string): Promise<ManualOrderDecision | null> {
  const tried = await tryStep('prepareManualOrder', summary, run.terms)
  if (tried.completed) return tried.result
  run.waitFor(`the checks before the order (${tried.cause})`)
  return runUnlessInterrupted(
    () => condition(() => run.cancel !== null),
    () => persistStep('prepareManualOrder', summary, run.terms),
  )
}

/** Tells whether the order is cancelled without having been sent. */
async function cancelUnsent(run: OrderRun): Promise<boolean> {
  if (run.cancel === null) throw new TypeError('nobody has cancelled the order')
  const { by } = run.cancel
  const stopping = await persistStep('recordManualOrderCancelled', `Record that ${by} cancelled the order`, {
    orderId: run.terms.orderId,
    at: workflowNow(),
    by,
  })
  if (stopping === 'too_late') return false
  run.endUnsent('CANCELLED', `Cancelled by ${by} before it was sent`)
  return true
}

function submit(run: OrderRun, { side, quantity }: ReadyOrder): Promise<SubmitOrderResult> {
  const { orderId, accountId, symbol, sendBefore, ...terms } = run.terms
  const { orderType, limitPrice, stopPrice, timeInForce, extendedHours } = terms
  const request = {
    clientOrderId: run.clientOrderId,
    symbol,
    side,
    quantity,
    orderType,
    limitPrice,
    stopPrice,
    timeInForce,
    extendedHours,
  }
  const summary = `Send the order: ${side} ${quantity} ${symbol}`
  return sendOrder({ accountId, request, sendBefore }, summary, async ({ cause, failure, at }) => {
    if (mayHaveSent(failure))
      await step('recordManualOrderTransmitted', 'Record that the outcome is unknown', { orderId, at, cause })
    run.waitFor(`the broker to say whether it has the order (${cause})`)
  })
}

async function notPlaced(
  run: OrderRun,
  outcome: 'rejected' | 'not_placed',
  code: DenialCode,
  detail: string,
): Promise<void> {
  await persistStep('recordManualOrderNotPlaced', `Record that no order was placed: ${code}`, {
    orderId: run.terms.orderId,
    at: workflowNow(),
    outcome,
    code,
    detail,
  })
  run.endUnsent('REJECTED', `${code}: ${detail}`)
}
