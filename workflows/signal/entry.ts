import { condition } from '@temporalio/workflow'
import type { PreparedEntry } from '#activities/contract.ts'
import { entryOrder } from '#domain/entry-order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { checkUnlessStopped, openOrder } from '../order/leg.ts'
import { recordTransmitted } from '../order/submit.ts'
import type { SignalRun } from './run.ts'
import { stopBeforeEntry } from './withdraw.ts'
import { describeEntry } from '../steps/describe.ts'
import { waitUntil } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil } from '../steps/workflow-time.ts'

type Prepared = Exclude<PreparedEntry, { outcome: 'not_yet' }>
type Ready = Extract<PreparedEntry, { outcome: 'ready' }>

/** Minutes between two own checks whether earlier signals have ended; the last value repeats. */
const LOOK_AGAIN = [0.05, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 5]

/** Checks, sizes and sends the entry order, unless somebody stops the signal before that is decided. */
export const sendEntry = (run: SignalRun): Promise<void> =>
  openOrder<Ready>(run, {
    isStopped: () => run.stop !== null,
    decide: () => prepare(run),
    stop: () => stopBeforeEntry(run),
    decided: () => void (run.phase = 'sending'),
    order({ quantity, advisories }) {
      run.advisories = advisories
      const { terms, entryId: clientOrderId } = run
      return {
        name: 'entry order',
        request: { clientOrderId, ...entryOrder(terms, quantity) },
        sendBefore: terms.sendBefore ?? terms.validUntil,
        advisories,
        async inDoubt(trouble) {
          if (await recordTransmitted(run, trouble)) run.become('transmitted', { detail: trouble.cause })
        },
      }
    },
    accepted(orderId) {
      run.orderId = orderId
      run.become('executed')
      run.phase = 'working'
    },
    notPlaced({ outcome, code, detail }) {
      run.become(outcome === 'rejected' ? 'rejected' : 'error', { reason: code, detail })
      run.phase = 'ended'
    },
  })

/**
 * Null when a stop was requested while the signal waited for earlier ones. The wait sends no requests: the worker sends
 * a message when an earlier signal has changed, and slow checks of the workflow's own find changes that were missed.
 */
async function prepare(run: SignalRun): Promise<Prepared | null> {
  for (let looks = 0; ; looks += 1) {
    const changes = run.earlierSignalChanges
    const prepared = await check(run)
    if (prepared === null) return null
    if (prepared.outcome !== 'not_yet') {
      if (prepared.outcome === 'ready' && prepared.sequencedAt !== undefined) {
        const { sequencedAt, sequencingUntil } = prepared
        const turn = { sequencedAt, ...(sequencingUntil !== undefined && { sequencingUntil }) }
        run.terms = { ...run.terms, sendBefore: postponed(run.terms, turn) }
      }
      return prepared
    }
    const { behind, until } = prepared
    run.waitFor(`earlier signals of the account in ${run.terms.symbol} (${behind.join(', ')})`, until)
    const again = inMinutes(LOOK_AGAIN[Math.min(looks, LOOK_AGAIN.length - 1)]!)
    await waitUntil(run, () => run.stop !== null || run.earlierSignalChanges > changes, {
      at: again < until ? again : until,
      summary: 'Check whether earlier signals have ended',
    })
    const { validUntil } = run.terms
    if (validUntil !== null && millisecondsUntil(validUntil) === 0) run.stop ??= { kind: 'expired' }
    if (run.stop !== null) return null
  }
}

/** Checks and sizes the entry, for as long as that takes; null when somebody asked to stop the signal meanwhile. */
function check(run: SignalRun): Promise<PreparedEntry | null> {
  const { terms } = run
  const summary = `Check and size the entry: ${describeEntry(terms)}`
  const stopping = { summary, until: terms.validUntil, waitForStop: () => waitForStop(run) }
  return checkUnlessStopped(run, stopping, 'prepareEntry', terms)
}

/** Resolves when the signal was stopped or has expired. */
async function waitForStop(run: SignalRun): Promise<void> {
  const { validUntil } = run.terms
  const isStopped = () => run.stop !== null
  if (validUntil === null) return condition(isStopped)
  const summary = `Expires at ${validUntil}`
  if (!(await condition(isStopped, millisecondsUntil(validUntil), { summary })))
    run.stop ??= { kind: 'expired' }
}

/**
 * Waiting for its turn made it late, not an outage: it may be sent for as long from then on, but an opening not after it
 * was to have waited.
 */
function postponed(
  { acceptedAt, scheduledAt, dueAt, sendBefore, validUntil }: SignalTerms,
  { sequencedAt, sequencingUntil }: { sequencedAt: string; sequencingUntil?: string },
): string | null {
  if (sendBefore === null || validUntil !== null) return sendBefore
  const window = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const until = new Date(Date.parse(sequencedAt) + window).toISOString()
  return sequencingUntil !== undefined && sequencingUntil < until ? sequencingUntil : until
}
