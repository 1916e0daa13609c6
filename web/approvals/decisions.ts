import type { Signal } from '#client/types.ts'
import type { CancelReason } from '#domain/risk/denial.ts'
import { mayBeDecided } from '#domain/signal/signal.ts'
import { ask } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { asProblem, confirmed, NOT_SENT, notSent, type Problem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { createStopwatch, type Stopwatch } from '../connection/stopwatch.ts'
import { createStore } from '../connection/store.ts'
import { marketTime } from '../words/times.ts'

type Decision = 'approve' | 'reject'

export interface Edit {
  quantity?: string
  limitPrice?: string
}

/** The signal with an edit; text that is no number changes nothing. */
export const withEdit = (signal: Signal, { quantity, limitPrice }: Edit): Signal => ({
  ...signal,
  quantity: Number(quantity) || signal.quantity,
  limitPrice: Number(limitPrice) || signal.limitPrice,
})

/**
 * Outcome of a decision taken here, shown until dismissed.
 * unknown: no answer arrived, and the record is read until it shows the outcome. A record that still waits proves
 * nothing: the request may yet arrive. refused: the approval was not accepted, and the signal still waits.
 */
type Outcome =
  | { is: 'undoable'; until: number; reason: string }
  | { is: 'sending'; decision: Decision }
  | { is: 'unknown'; decision: Decision; stillWaitedAt?: number }
  | { is: 'refused'; message: string }
  | { is: 'rejected'; problem: Problem }
  | { is: 'faster'; message: string; hadDecided: boolean }
  | { is: 'expired' }
  | { is: 'done'; decision: Decision }
  | { is: 'failed'; problem: Problem }

export interface Decided {
  signal: Signal
  outcome: Outcome
  /** Time of the decision, or of its notice; milliseconds since the epoch, by the service's clock. */
  at: number
  /** Time of an earlier refusal of an approval; null without one. */
  refusedBefore: string | null
}

/** Whether the signal is still in the queue: a refused approval decides nothing. */
export const isOpen = (decided: Decided | undefined): boolean =>
  decided === undefined || decided.outcome.is === 'refused'

/** Whether a decision was sent and is not confirmed yet. */
export const isOnItsWay = (decided: Decided | undefined): boolean =>
  decided?.outcome.is === 'sending' && ['pending', 'queued'].includes(decided.signal.status)

const UNDO_MS = 5_000
/** Milliseconds after the undo time; a device that slept longer does not send the rejection. */
const UNDO_LATE_MS = 10_000
const LOOK_EVERY_MS = 2_000

/** Settled lines on the page; older ones are in the list of signals. */
const MAX_SETTLED_LINES = 20

export const decisions = createStore<ReadonlyMap<string, Decided>>(new Map())
/** Rejections that can still be undone. */
const heldBack = new Map<string, { timer: ReturnType<typeof setTimeout>; since: Stopwatch }>()

/** Whether the outcome is final, so that its line can be dismissed. */
export const isSettled = ({ outcome: { is } }: Decided): boolean =>
  is !== 'sending' && is !== 'undoable' && is !== 'unknown'

/** Keeps the newer record, because answers and events may overtake one another. */
function put(signal: Signal, outcome: Outcome): void {
  const known = decisions.get().get(signal.id)
  const newest = known && known.signal.updatedAt > signal.updatedAt ? known.signal : signal
  const first = known ?? { at: serviceNow(), refusedBefore: signal.approvalRefused?.at ?? null }
  const { at, refusedBefore } = first
  const next = new Map(decisions.get()).set(signal.id, { signal: newest, outcome, at, refusedBefore })
  const over = [...next.values()].filter((each) => isSettled(each) && !isOpen(each))
  for (const old of over.slice(0, -MAX_SETTLED_LINES)) next.delete(old.signal.id)
  decisions.set(next)
}

export function dismiss(...ids: string[]): void {
  const next = new Map(decisions.get())
  for (const id of ids) next.delete(id)
  decisions.set(next)
}

export function follow(signal: Signal): void {
  const known = decisions.get().get(signal.id)
  if (!known) return
  if (known.outcome.is === 'undoable' && !mayBeDecided(signal.status)) {
    stopTimer(signal.id)
    return put(signal, takenElsewhere(signal, true))
  }
  // Decided elsewhere at its expiry, or after a refused approval.
  if ((known.outcome.is === 'expired' || known.outcome.is === 'refused') && !mayBeDecided(signal.status))
    return put(signal, takenElsewhere(signal, true))
  // The accepted approval was under way for too long to be sent.
  const refused = notAccepted(signal, known)
  if (known.outcome.is === 'done' && refused !== null) return put(signal, refused)
  put(signal, known.outcome.is === 'unknown' ? afterSilence(signal, known.outcome, known) : known.outcome)
}

/** Notifies on its card that an open signal was decided elsewhere, or has expired. */
export async function noticeDecidedElsewhere(signal: Pick<Signal, 'id'>): Promise<void> {
  const now = await read(signal.id)
  if (!now || mayBeDecided(now.status) || !isOpen(decisions.get().get(now.id))) return
  put(now, takenElsewhere(now, false))
}

const takenElsewhere = (signal: Signal, hadDecided: boolean): Outcome =>
  signal.statusReason === ('EXPIRED' satisfies CancelReason)
    ? { is: 'expired' }
    : { is: 'faster', message: decisionElsewhere(signal), hadDecided }

/** Person, decision and time; the status without a decision. */
function decisionElsewhere({ status, decidedBy, decidedAt }: Signal): string {
  if (decidedBy === null || decidedAt === null) return `It is ${status} now`
  return `${status === 'rejected' ? 'Rejected' : 'Approved'} by ${decidedBy} at ${marketTime(decidedAt)}`
}

/** New refusal of an approval in the record; null without one. */
const notAccepted = (
  { status, approvalRefused: refused }: Signal,
  { refusedBefore }: Pick<Decided, 'refusedBefore'>,
): Outcome | null =>
  mayBeDecided(status) && refused !== null && refused.at !== refusedBefore
    ? { is: 'refused', message: refused.message }
    : null

/**
 * Outcome from the record when the answer is missing. The record does not say whether this request decided: an approval
 * shows the state of the signal, and only a rejection can be seen to have failed.
 */
function afterSilence(
  signal: Signal,
  unknown: Extract<Outcome, { is: 'unknown' }>,
  known: Pick<Decided, 'refusedBefore'>,
): Outcome {
  const { decision } = unknown
  if (mayBeDecided(signal.status)) return notAccepted(signal, known) ?? unknown
  return decision === 'approve' || signal.status === 'rejected'
    ? { is: 'done', decision }
    : takenElsewhere(signal, true)
}

/** Sends the approval at once, without retries. */
export async function approve(signal: Signal, edit: Edit = {}): Promise<void> {
  if (!isOpen(decisions.get().get(signal.id))) return
  dismiss(signal.id)
  await decide(signal, 'approve', async () => {
    const { body } = await ask('POST /api/v1/signals/{id}/process', {
      path: { id: signal.id },
      body: { ...edit },
    })
    return confirmed(body.data)
  })
}

/** Sends the rejection after five seconds, in which it can be undone. */
export function reject(signal: Signal, reason: string): void {
  if (!isOpen(decisions.get().get(signal.id))) return
  dismiss(signal.id)
  put(signal, { is: 'undoable', until: serviceNow() + UNDO_MS, reason })
  heldBack.set(signal.id, {
    timer: setTimeout(() => void sendRejection(signal.id), UNDO_MS),
    since: createStopwatch(),
  })
}

export function undo(id: string): void {
  if (decisions.get().get(id)?.outcome.is !== 'undoable') return
  stopTimer(id)
  dismiss(id)
}

function stopTimer(id: string): void {
  clearTimeout(heldBack.get(id)?.timer)
  heldBack.delete(id)
}

async function sendRejection(id: string): Promise<void> {
  const waited = heldBack.get(id)?.since.milliseconds() ?? 0
  stopTimer(id)
  const known = decisions.get().get(id)
  if (known?.outcome.is !== 'undoable') return
  const { reason } = known.outcome
  if (waited > UNDO_MS + UNDO_LATE_MS)
    return put(known.signal, { is: 'failed', problem: notSent('This device was asleep before it was sent.') })
  await decide(known.signal, 'reject', async () => {
    const { body } = await ask('POST /api/v1/signals/{id}/reject', {
      path: { id },
      body: reason === '' ? {} : { reason },
    })
    return confirmed(body.data)
  })
}

/** Sends held-back rejections, because a hidden page may never return. */
export async function sendQueuedRejections(): Promise<void> {
  const held = [...decisions.get()].filter(([, { outcome }]) => outcome.is === 'undoable')
  await Promise.all(held.map(([id]) => sendRejection(id)))
}

/** Forgets the decisions, which the next person must not see. */
export function forgetDecisions(): void {
  for (const id of heldBack.keys()) stopTimer(id)
  decisions.set(new Map())
}

/** Stores an outcome unless the session has ended and forgotten the decision. */
function settle(signal: Signal, outcome: Outcome): void {
  if (decisions.get().has(signal.id)) put(signal, outcome)
}

async function decide(signal: Signal, decision: Decision, send: () => Promise<Signal>): Promise<void> {
  put(signal, { is: 'sending', decision })
  try {
    settle(await send(), { is: 'done', decision })
  } catch (error) {
    await explain(signal, decision, asProblem(error))
  }
}

async function explain(signal: Signal, decision: Decision, problem: Problem): Promise<void> {
  if (problem.code === 'WOULD_BE_REFUSED') {
    settle(signal, { is: 'refused', message: problem.message })
    return void readChanged('check')
  }
  if (problem.status === 409) {
    const now = await read(signal.id)
    if (now && !mayBeDecided(now.status)) return settle(now, takenElsewhere(now, true))
    // The record follows a moment after the refusal.
    const hasEnded =
      now !== undefined && now.validUntil !== null && Date.parse(now.validUntil) <= serviceNow()
    return settle(
      signal,
      hasEnded ? { is: 'expired' } : { is: 'faster', message: problem.message, hadDecided: true },
    )
  }
  if (problem.status === 422) return settle((await read(signal.id)) ?? signal, { is: 'rejected', problem })
  // Without an answer, or after a server error, the decision may have been stored.
  if (problem.code !== NOT_SENT && (problem.status === 0 || problem.status >= 500)) {
    settle(signal, { is: 'unknown', decision })
    return lookUntilKnown(signal.id)
  }
  settle(signal, { is: 'failed', problem })
}

const read = async (id: string): Promise<Signal | undefined> =>
  ask('GET /api/v1/signals/{id}', { path: { id } }).then(
    ({ body }) => body.data,
    () => undefined,
  )

/** Reads the record until it shows the outcome, or the line is dismissed. */
async function lookUntilKnown(id: string): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    const now = await read(id)
    const known = decisions.get().get(id)
    if (known?.outcome.is !== 'unknown') return
    if (now) put(now, afterSilence(now, { ...known.outcome, stillWaitedAt: serviceNow() }, known))
  }
}
