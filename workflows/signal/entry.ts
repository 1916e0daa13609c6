import { condition } from '@temporalio/workflow'
import type { PreparedEntry } from '#activities/contract.ts'
import type { HeldEntry } from '#domain/entry-check.ts'
import { entryToSend, entryToSendBefore } from '#domain/entry-order.ts'
import { isOpening, withLeg } from '#domain/signal.ts'
import { attemptUnlessStopped, openOrder, type Decided } from '../order/leg.ts'
import { recordTransmitted } from '../order/submit.ts'
import type { SignalRun } from './run.ts'
import { stopBeforeEntry } from './withdraw.ts'
import { describeEntry } from '../steps/describe.ts'
import { tryStep } from '../steps/steps.ts'
import { waitUntil } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

type Prepared = Exclude<PreparedEntry, { outcome: 'not_yet' }>
type Ready = Extract<PreparedEntry, { outcome: 'ready' }>

/** Minutes between own checks of earlier signals; the last value repeats. */
const EARLIER_LOOK_MINUTES = [0.05, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 5]
/** So many earlier signals make the checks that much rarer: all checks of a long queue stay few. */
const RARER_BY = 10

/** Unless the signal is stopped before, or requires approval (again, where a given one is not taken). */
export async function sendEntry(run: SignalRun): Promise<void> {
  const held = await openEntry(run)
  if (held !== null) run.hold(held)
}

const openEntry = (run: SignalRun): Promise<HeldEntry | null> =>
  openOrder<Ready>(run, {
    isStopped: () => run.stop !== null,
    decide: () => decide(run),
    stop: () => stopBeforeEntry(run),
    decided: () => void (run.phase = 'sending'),
    takenBack(detail) {
      run.phase = 'checking'
      run.isDecidedUnheard = false
      run.waitFor(`another decision on the entry (${detail})`)
    },
    order(ready) {
      run.advise(ready.advisories)
      if (ready.leg) run.terms = withLeg(run.terms, ready.leg)
      return {
        name: 'entry order',
        ...entryToSend(run.terms, ready),
        advisories: ready.advisories,
        async inDoubt(trouble) {
          if (await recordTransmitted(run, trouble)) run.become('transmitted', { detail: trouble.cause })
        },
      }
    },
    accepted(orderId) {
      run.entryAnswer = { ...run.entryAnswer, orderId }
      run.become('executed')
      run.phase = 'working'
    },
    endedBefore({ status, reason, detail }) {
      run.become(status, { reason, detail })
      run.phase = 'ended'
    },
    notPlaced({ outcome, code, detail }) {
      run.become(outcome === 'rejected' ? 'rejected' : 'error', { reason: code, detail })
      run.phase = 'ended'
    },
  })

/** Null when it was stopped meanwhile. The worker sends a message of a change; slow own checks find lost ones. */
async function decide(run: SignalRun): Promise<Decided<Prepared> | null> {
  let waitsUntil: string | null = null
  for (let looks = 0, seen = run.news; ; looks += 1) {
    const changes = run.news
    // A signal that was just woken is next or nearly so: it has to notice a lost message soon.
    if (changes > seen) looks = 0
    seen = changes
    const decided = await attempt(run, waitsUntil)
    if (decided === null) return null
    const { decision, first } = decided
    if (decision.outcome !== 'not_yet') return { decision, first }
    const { behind, until } = decision
    waitsUntil = until
    run.waitFor(`earlier signals of the account in ${run.terms.symbol} (${behind.join(', ')})`, until)
    const pause = EARLIER_LOOK_MINUTES[Math.min(looks, EARLIER_LOOK_MINUTES.length - 1)]!
    const again = inMinutes(pause * Math.max(1, behind.length / RARER_BY))
    await waitUntil(run, () => run.stop !== null || run.news > changes, {
      // The ledger's clock, which is the one that counts, may be behind the clock that ends this wait.
      at: again < until || millisecondsUntil(until) === 0 ? again : until,
      summary: 'Check whether earlier signals have ended',
    })
    const { validUntil } = run.terms
    if (validUntil !== null && millisecondsUntil(validUntil) === 0) run.stop ??= { kind: 'expired' }
    if (run.stop !== null) return null
  }
}

/** Null when it was stopped meanwhile. `waitedUntil`: the latest end of its wait for earlier signals. */
function attempt(run: SignalRun, waitedUntil: string | null): Promise<Decided<PreparedEntry> | null> {
  const { terms } = run
  const what = describeEntry(terms)
  const until = lastMoment(run, waitedUntil)
  return attemptUnlessStopped(run, {
    attempt: () => tryStep('attemptEntry', `Check and send the entry: ${what}`, terms),
    check: 'prepareEntry',
    summary: `Check and size the entry: ${what}`,
    terms,
    until,
    waitForStop: (cause) => waitForStop(run, until, cause),
  })
}

/** For an unchecked entry. Null for a close, which an order of ours may keep waiting. */
function lastMoment({ terms }: SignalRun, waitedUntil: string | null): string | null {
  if (!isOpening(terms.action)) return terms.validUntil
  return entryToSendBefore(
    terms,
    waitedUntil === null ? {} : { sequencedAt: workflowNow(), sequencingUntil: waitedUntil },
  )
}

/** Stopped, expired, or out of time without a completed check. */
async function waitForStop(run: SignalRun, until: string | null, cause: string): Promise<void> {
  const isStopped = () => run.stop !== null
  const { given: approval } = run.approval
  const { validUntil } = run.terms
  if (until === null || run.isDecidedUnheard) return condition(isStopped)
  const waitsOn = approval !== null && (validUntil === null || until < validUntil)
  const expires = validUntil !== null && !waitsOn
  const summary = expires ? `Expires at ${until}` : `Is too old to be sent at ${until}`
  if (!(await condition(isStopped, millisecondsUntil(until), { summary })))
    run.stop ??= expires ? { kind: 'expired' } : { kind: waitsOn ? 'not_taken' : 'late', cause }
}
