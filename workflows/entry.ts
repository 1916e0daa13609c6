import { condition } from '@temporalio/workflow'
import type { PreparedEntry, SubmitOrderResult } from '#activities/contract.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { asGoodTillDate, clientOrderIdFor } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { sendOrder } from './send-order.ts'
import type { SignalRun } from './signal-run.ts'
import { mayHaveSent, persistStep, step, tryStep } from './steps.ts'
import { stopBeforeEntry } from './stop.ts'
import { describeEntry } from './summary.ts'
import { unless } from './waits.ts'
import { millisecondsUntil, workflowNow } from './workflow-time.ts'

type Ready = Exclude<PreparedEntry, { outcome: 'not_yet' }>

/** Checks, sizes and sends the entry order, unless somebody stops the signal before that is decided. */
export async function enter(run: SignalRun): Promise<void> {
  const prepared = await untilPrepared(run)
  if (prepared === null) return
  run.phase = 'sending'
  if (prepared.outcome === 'denied') return notPlaced(run, 'rejected', prepared.code, prepared.detail)

  run.advisories = prepared.advisories
  const answer = await submitEntry(run, prepared.quantity)
  if (answer.outcome !== 'accepted')
    return notPlaced(run, answer.outcome === 'refused' ? 'rejected' : 'error', answer.code, answer.detail)
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
async function untilPrepared(run: SignalRun): Promise<Ready | null> {
  for (;;) {
    const prepared = run.stop === null ? await prepare(run) : null
    if (run.stop === null && prepared !== null) return prepared
    if (await stopBeforeEntry(run)) return null
  }
}

/** Null when somebody asked to stop the signal before its turn came. */
async function prepare(run: SignalRun): Promise<Ready | null> {
  const summary = `Check and size the entry: ${describeEntry(run.terms)}`
  const tried = await tryStep('prepareEntry', summary, run.terms)
  if (tried.settled && tried.result.outcome !== 'not_yet') return tried.result
  const behind = tried.settled && tried.result.outcome === 'not_yet' ? tried.result.behind : []
  run.waitFor(
    behind.length > 0
      ? `earlier signals of the account in ${run.terms.symbol} (${behind.join(', ')})`
      : `the checks before the entry (${tried.settled ? '' : tried.cause})`,
    run.terms.validUntil,
  )
  const ready = await unless(
    () => untilStopped(run),
    () => persistStep('prepareEntryInTurn', summary, run.terms),
  )
  // Waiting for its turn made it late, not an outage: it has as long from now on.
  if (ready && behind.length > 0) run.terms = { ...run.terms, staleAfter: postponed(run.terms) }
  return ready
}

/** Resolves when somebody has stopped the signal, or it has expired. */
async function untilStopped(run: SignalRun): Promise<void> {
  const { validUntil } = run.terms
  const isStopped = () => run.stop !== null
  if (validUntil === null) return condition(isStopped)
  const summary = `Expires at ${validUntil}`
  if (!(await condition(isStopped, millisecondsUntil(validUntil), { summary })))
    run.stop ??= { kind: 'expired' }
}

/** The time for which an immediate signal may still be sent, counted from now. */
function postponed({ acceptedAt, staleAfter, validUntil }: SignalTerms): string | null {
  if (staleAfter === null || validUntil !== null) return staleAfter
  const window = Date.parse(staleAfter) - Date.parse(acceptedAt)
  return new Date(Date.parse(workflowNow()) + window).toISOString()
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
  const order = { accountId: terms.accountId, request, notAfter: terms.staleAfter ?? terms.validUntil }
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
