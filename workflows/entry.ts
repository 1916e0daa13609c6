import type { SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
import type { SignalRun } from './signal-run.ts'
import { persistStep, step, tryStep } from './steps.ts'
import { describeEntry } from './summary.ts'
import { workflowNow } from './workflow-time.ts'

/** Sends the entry order and says how it went. Null when no order is working. */
export async function enter(run: SignalRun): Promise<OrderReport | null> {
  const { terms } = run
  const answer = await submitEntry(run)
  if (answer.outcome === 'accepted') {
    const { orderId } = await step('recordEntryAccepted', 'Record the accepted entry', {
      signalId: terms.signalId,
      report: answer.report,
      advisories: [],
    })
    run.orderId = orderId
    const entry = run.note(answer.report)
    run.become('executed')
    run.entrySettled = true
    return entry
  }
  const status = answer.outcome === 'refused' ? 'rejected' : 'error'
  const { code, detail } = answer
  await step('recordNotPlaced', `Record that no order was placed: ${code}`, {
    signalId: terms.signalId,
    at: workflowNow(),
    status,
    code,
    detail,
  })
  run.become(status, { reason: code, detail })
  run.entrySettled = true
  return null
}

async function submitEntry(run: SignalRun): Promise<SubmitOrderResult> {
  const { terms } = run
  const summary = `Send the entry order: ${describeEntry(terms)}`
  const input: SubmitOrderInput = {
    accountId: terms.accountId,
    request: entryRequest(terms),
    unknownSince: null,
    notAfter: terms.staleAfter,
  }
  const firstTriedAt = workflowNow()
  const tried = await tryStep('submitOrder', summary, input)
  if (tried.settled) return tried.result

  // A broker that is merely busy has placed nothing; after anything else an order may be out.
  if (tried.failure !== 'BrokerBusy') {
    await step('recordTransmitted', 'Record that the outcome is unknown', {
      signalId: terms.signalId,
      at: firstTriedAt,
      cause: tried.cause,
    })
    run.become('transmitted', { detail: tried.cause })
  }
  run.waitFor(`the broker to say whether it has the entry order (${tried.cause})`)
  return persistStep('submitOrder', summary, { ...input, unknownSince: firstTriedAt })
}

const entryRequest = (terms: SignalTerms): OrderRequest => ({
  clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
  symbol: terms.symbol,
  side: ENTRY_SIDE[terms.action],
  quantity: terms.quantity,
  orderType: terms.orderType,
  limitPrice: terms.limitPrice,
  stopPrice: terms.stopPrice,
  timeInForce: terms.timeInForce,
  extendedHours: terms.extendedHours,
})
