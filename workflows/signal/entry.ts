import { condition } from '@temporalio/workflow'
import { isPositive, isZero, figure } from '#domain/money/decimal.ts'
import { isByHand } from '#domain/signal/by-hand.ts'
import {
  endedUnfilledMessage,
  filledMessage,
  orderEndedMessage,
  entryToSend,
  entryToSendBefore,
} from '#domain/order/entry-order.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { goesAcross, isOpening } from '#domain/signal/signal.ts'
import { followOrder } from '../order/follow.ts'
import { close } from './close.ts'
import { notifyNotCancelled } from '../exit/trouble.ts'
import { lookOnce } from '../exit/look.ts'
import type { SignalRun } from './run.ts'
import { type Deadline, runDurable, runLocal, runUnlessInterrupted, waitUntil } from '../steps/steps.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'
import { decideReplacement } from './replace.ts'
import type { OrderAttempt, PreparedEntry, Tried } from '#activities/contract.ts'
import { placeOrder, type DecidedOrder, recordTransmitted, type FirstAttempt } from '../order/place.ts'
import { stopBeforeEntry } from './withdraw.ts'
import { describeEntry } from '../steps/describe.ts'

export async function followEntryOrder(run: SignalRun): Promise<void> {
  await followOrder(run, run.entryId, {
    name: 'entry order',
    expiry: gtdExpiry(run),
    // A late fill gets its exit like any other.
    isReplaced: () => run.status === 'cancelled',
    // The broker takes no exit beside a working entry.
    cancelledForReason: () => (run.exit.reached ? run.nextExitId(run.exit.reached) : null),
    hangs: () => notifyNotCancelled(run, run.entryId, run.exit.reached!),
    messages: {
      areDue: () => isAsked(run) || hasLevelNews(run),
      async answer() {
        if (hasLevelNews(run)) await lookOnce(run)
        if (isAsked(run)) await decideReplacement(run)
      },
    },
  })
  while (isAsked(run) || run.isDeciding)
    await (isAsked(run) ? decideReplacement(run) : condition(() => isAsked(run) || !run.isDeciding))
  const entry = run.entry
  const hasExit = run.terms.exit !== null || run.terms.protection !== undefined
  if (hasExit && run.exit.cancelledBy === null && isPositive(entry.filledQuantity)) {
    run.phase = 'exiting'
    return
  }
  await close(run, endOfEntry(run, entry))
}

const isAsked = (run: SignalRun): boolean =>
  run.pendingReplacement !== null && run.pendingReplacement.answer === null

/** A level may be reached by a fill that the feed has not reported yet. */
const hasLevelNews = (run: SignalRun): boolean => run.terms.protection !== undefined && run.hasNews

function gtdExpiry(run: SignalRun): Deadline | null {
  const { timeInForce, expiresAt, symbol } = run.terms
  return timeInForce === 'gtd' && expiresAt !== null
    ? { at: expiresAt, summary: `Cancel the ${symbol} entry, good till ${expiresAt}` }
    : null
}

function endOfEntry(run: SignalRun, entry: OrderReport) {
  const nothing = isZero(entry.filledQuantity)
  const message = isByHand(run.terms)
    ? orderEndedMessage(entry)
    : `${nothing ? endedUnfilledMessage(entry) : filledMessage(entry)}${ofTarget(run, entry)}`
  const asked = run.terms.exit !== null && run.exit.cancelledBy === null
  return {
    message,
    exit: asked ? ({ status: 'cancelled', reason: 'ENTRY_NOT_FILLED' } as const) : null,
    // A replaced signal stays cancelled.
    rejected: nothing && entry.status === 'REJECTED' && run.status === 'executed',
    unprotected: null,
    // A replaced or ended signal does not go on to the other side.
    ...(isFilled(entry) &&
      run.status === 'executed' &&
      goesAcross(run.terms) && { isCrossed: true as const }),
  }
}

const isFilled = ({ status }: OrderReport): boolean => status === 'FILLED'

function ofTarget(run: SignalRun, entry: OrderReport): string {
  const { symbol, target } = run.terms
  if (target === undefined || isFilled(entry)) return ''
  if (target.move !== undefined)
    return goesAcross(run.terms) ? `. The other side of ${symbol} was not opened` : ''
  return `. ${symbol} was not brought to its target of ${figure(target.position)}`
}

type Prepared = Exclude<PreparedEntry, { outcome: 'not_yet' }>
type Ready = Extract<PreparedEntry, { outcome: 'ready' }>

interface Decided<Decision> {
  decision: Decision
  first: FirstAttempt | null
}

/** Minutes between own checks of earlier signals; the last value repeats. */
const EARLIER_LOOK_MINUTES = [0.05, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 5]
/** Beyond this number of earlier signals checks become rarer. */
const RARER_BY = 10

/** Decides and sends the entry, unless the signal is stopped first or requires approval (again). */
export async function sendEntry(run: SignalRun): Promise<void> {
  for (;;) {
    const decided = await untilDecided(run)
    if (decided === null) return
    const { decision, first } = decided
    if (decision.outcome === 'held') return run.hold(decision)
    if (await perform(run, decision, first)) return
    // The lost attempt can send nothing any more.
    run.lostAttempt = null
  }
}

/** Null when the signal was stopped and has ended. */
async function untilDecided(run: SignalRun): Promise<Decided<Prepared> | null> {
  let decided: Decided<Prepared> | null = null
  for (;;) {
    if (run.stop === null) decided ??= await decide(run)
    if (decided !== null && run.stop === null) return decided
    if (await stopBeforeEntry(run)) return null
  }
}

/** False when the entry is decided again. */
async function perform(
  run: SignalRun,
  decision: Exclude<Prepared, { outcome: 'held' }>,
  first: FirstAttempt | null,
): Promise<boolean> {
  if (decision.outcome === 'ended') {
    const { status, reason, detail } = decision
    run.become(status, { reason, detail })
    run.phase = 'ended'
    return true
  }
  run.phase = 'sending'
  const placement =
    decision.outcome === 'denied' ? decision : await placeOrder(run, orderOf(run, decision), first)
  if (placement.outcome === 'accepted') {
    run.entryAnswer = { ...run.entryAnswer, orderId: placement.orderId }
    run.become('executed')
    run.phase = 'working'
    return true
  }
  if (placement.outcome === 'void') {
    run.phase = 'checking'
    run.isDecidedUnheard = false
    run.waitFor(`another decision on the entry (${placement.detail})`)
    return false
  }
  const { outcome, code, detail } = placement
  const isRefused = (outcome === 'denied' && code !== 'STALE') || outcome === 'rejected'
  await runDurable('recordNotPlaced', `Record that no order was placed: ${code}`, {
    signalId: run.signalId,
    at: workflowNow(),
    outcome: isRefused ? 'rejected' : 'not_placed',
    code,
    detail,
  })
  run.become(isRefused ? 'rejected' : 'error', { reason: code, detail })
  run.phase = 'ended'
  return true
}

function orderOf(run: SignalRun, ready: Ready): DecidedOrder {
  run.decide(ready)
  return {
    name: 'entry order',
    ...entryToSend(run.terms, ready),
    advisories: ready.advisories,
    async inDoubt(trouble) {
      if (await recordTransmitted(run, trouble)) run.become('transmitted', { detail: trouble.cause })
    },
  }
}

/** Null when stopped meanwhile. */
async function decide(run: SignalRun): Promise<Decided<Prepared> | null> {
  let waitsUntil: string | null = null
  for (let looks = 0, seen = run.news; ; looks += 1) {
    const changes = run.news
    // A notified signal is nearly next: it must notice a lost message soon.
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
      // The ledger's clock counts, and may be behind the clock of this wait.
      at: again < until || millisecondsUntil(until) === 0 ? again : until,
      summary: 'Check whether earlier signals have ended',
    })
    const { validUntil } = run.terms
    if (validUntil !== null && millisecondsUntil(validUntil) === 0) run.stop ??= { kind: 'expired' }
    if (run.stop !== null) return null
  }
}

/** Null when stopped meanwhile. */
async function attempt(run: SignalRun, waitedUntil: string | null): Promise<Decided<PreparedEntry> | null> {
  const { terms } = run
  const what = describeEntry(terms)
  const summary = `Check and size the entry: ${what}`
  const until = lastMoment(run, waitedUntil)
  const at = workflowNow()
  // A lost attempt may still run, so the order is not sent as if for the first time.
  const attempted =
    run.lostAttempt === null
      ? await runLocal('attemptEntry', `Check and send the entry: ${what}`, terms)
      : null
  if (attempted?.completed === false) {
    const { cause, failure } = attempted
    run.lostAttempt = { cause, failure, at }
  }
  const checked = attempted?.completed
    ? attempted.result.check
    : await runLocal('prepareEntry', summary, terms)
  let decision = checked.completed ? checked.result : null
  if (!checked.completed) {
    run.waitFor(`the checks before the order (${checked.cause})`, until)
    decision = await runUnlessInterrupted(
      () => waitForStop(run, until, checked.cause),
      () => runDurable('prepareEntry', summary, terms),
    )
  }
  return decision === null ? null : { decision, first: firstAttempt(run, at, attempted) }
}

function firstAttempt(
  { lostAttempt }: SignalRun,
  at: string,
  attempted: Tried<OrderAttempt<PreparedEntry>> | null,
): FirstAttempt | null {
  if (lostAttempt !== null) {
    const { cause, failure, at: began } = lostAttempt
    return { at: began, submission: { completed: false, cause, failure }, orderId: null }
  }
  if (!attempted?.completed || attempted.result.submission === null) return null
  const { submission, orderId } = attempted.result
  return { at, submission, orderId }
}

/**
 * UTC instant after which an unchecked entry is too late. A close has only its expiry: an order of ours may keep it
 * waiting.
 */
function lastMoment({ terms }: SignalRun, waitedUntil: string | null): string | null {
  if (isByHand(terms) || !isOpening(terms.action)) return terms.validUntil
  return entryToSendBefore(
    terms,
    waitedUntil === null ? {} : { sequencedAt: workflowNow(), sequencingUntil: waitedUntil },
  )
}

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
