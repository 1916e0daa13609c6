import { condition } from '@temporalio/workflow'
import type { PreparedEntry, SubmitOrderResult } from '#activities/contract.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { asGoodTillDate, clientOrderIdFor } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { sendOrder } from '../order/submit.ts'
import type { SignalRun } from './run.ts'
import { mayHaveSent, persistStep, step, tryStep } from '../steps/steps.ts'
import { stopBeforeEntry } from './withdraw.ts'
import { describeEntry } from '../steps/describe.ts'
import { runUnlessInterrupted, waitUntil } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

type Ready = Exclude<PreparedEntry, { outcome: 'not_yet' }>

/** Minutes between two looks of its own at whether its turn has come; the last one repeats. */
const LOOK_AGAIN = [0.05, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 5]

/** Checks, sizes and sends the entry order, unless somebody stops the signal before that is decided. */
export async function sendEntry(run: SignalRun): Promise<void> {
  const prepared = await waitForPrepared(run)
  if (prepared === null) return
  run.phase = 'sending'
  if (prepared.outcome === 'denied') return notPlaced(run, 'rejected', prepared.code, prepared.detail)

  run.advisories = prepared.advisories
  const answer = await submitEntry(run, prepared.quantity)
  if (answer.outcome !== 'accepted')
    return notPlaced(run, answer.outcome === 'rejected' ? 'rejected' : 'error', answer.code, answer.detail)
  const { orderId } = await step('recordEntryAccepted', 'Record the accepted entry', {
    signalId: run.terms.signalId,
    report: asGoodTillDate(answer.report, run.terms.expiresAt, workflowNow()),
    advisories: prepared.advisories,
  })
  run.orderId = orderId
  run.note(answer.report)
  run.become('executed')
  run.phase = 'working'
}

/** Null when the signal was stopped, and has ended with that. */
async function waitForPrepared(run: SignalRun): Promise<Ready | null> {
  for (;;) {
    const prepared = run.stop === null ? await prepare(run) : null
    if (run.stop === null && prepared !== null) return prepared
    if (await stopBeforeEntry(run)) return null
  }
}

/**
 * Null when somebody asked to stop the signal before its turn came. Waiting for its turn takes no requests: the worker
 * tells when an earlier signal has changed, and a slow look of its own finds what that has missed.
 */
async function prepare(run: SignalRun): Promise<Ready | null> {
  for (let looks = 0; ; looks += 1) {
    const changes = run.earlierSignalChanges
    const prepared = await check(run)
    if (prepared === null) return null
    if (prepared.outcome !== 'not_yet') {
      if (prepared.outcome === 'ready' && prepared.sequencedAt !== undefined)
        run.terms = { ...run.terms, sendBefore: postponed(run.terms, prepared.sequencedAt) }
      return prepared
    }
    const { behind, until } = prepared
    run.waitFor(`earlier signals of the account in ${run.terms.symbol} (${behind.join(', ')})`, until)
    const again = inMinutes(LOOK_AGAIN[Math.min(looks, LOOK_AGAIN.length - 1)]!)
    await waitUntil(run, () => run.stop !== null || run.earlierSignalChanges > changes, {
      at: again < until ? again : until,
      summary: 'Look whether its turn has come',
    })
    const { validUntil } = run.terms
    if (validUntil !== null && millisecondsUntil(validUntil) === 0) run.stop ??= { kind: 'expired' }
    if (run.stop !== null) return null
  }
}

/** Checks and sizes the entry, for as long as that takes; null when somebody asked to stop the signal meanwhile. */
async function check(run: SignalRun): Promise<PreparedEntry | null> {
  const summary = `Check and size the entry: ${describeEntry(run.terms)}`
  const tried = await tryStep('prepareEntry', summary, run.terms)
  if (tried.completed) return tried.result
  run.waitFor(`the checks before the entry (${tried.cause})`, run.terms.validUntil)
  return runUnlessInterrupted(
    () => waitForStop(run),
    () => persistStep('prepareEntry', summary, run.terms),
  )
}

/** Resolves when somebody has stopped the signal, or it has expired. */
async function waitForStop(run: SignalRun): Promise<void> {
  const { validUntil } = run.terms
  const isStopped = () => run.stop !== null
  if (validUntil === null) return condition(isStopped)
  const summary = `Expires at ${validUntil}`
  if (!(await condition(isStopped, millisecondsUntil(validUntil), { summary })))
    run.stop ??= { kind: 'expired' }
}

/** Waiting for its turn made it late, not an outage: it may be sent for as long from then on. */
function postponed({ acceptedAt, sendBefore, validUntil }: SignalTerms, sequencedAt: string): string | null {
  if (sendBefore === null || validUntil !== null) return sendBefore
  const window = Date.parse(sendBefore) - Date.parse(acceptedAt)
  return new Date(Date.parse(sequencedAt) + window).toISOString()
}

async function notPlaced(
  run: SignalRun,
  status: 'rejected' | 'error',
  code: DenialCode,
  detail: string,
): Promise<void> {
  await persistStep('recordNotPlaced', `Record that no order was placed: ${code}`, {
    signalId: run.terms.signalId,
    at: workflowNow(),
    status,
    code,
    detail,
  })
  run.become(status, { reason: code, detail })
  run.phase = 'ended'
}

async function submitEntry(run: SignalRun, quantity: Decimal): Promise<SubmitOrderResult> {
  const { terms } = run
  const request = {
    clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
    ...entryOrder(terms, quantity),
  }
  const summary = `Send the entry order: ${request.side} ${quantity} ${terms.symbol}`
  const order = { accountId: terms.accountId, request, sendBefore: terms.sendBefore ?? terms.validUntil }
  return sendOrder(order, summary, async ({ cause, failure, at }) => {
    if (mayHaveSent(failure)) {
      await step('recordTransmitted', 'Record that the outcome is unknown', {
        signalId: terms.signalId,
        at,
        cause,
      })
      run.become('transmitted', { detail: cause })
    }
    run.waitFor(`the broker to say whether it has the entry order (${cause})`)
  })
}
