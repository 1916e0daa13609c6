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

/** What a person changed before approving. */
export interface Edit {
  quantity?: string
  limitPrice?: string
}

/** The signal as it would be sent with an edit; what is no number yet changes nothing. */
export const withEdit = (signal: Signal, { quantity, limitPrice }: Edit): Signal => ({
  ...signal,
  quantity: Number(quantity) || signal.quantity,
  limitPrice: Number(limitPrice) || signal.limitPrice,
})

/**
 * What came of a decision that was taken here. A line shows it until it is dismissed.
 * unknown: no answer came back, and the record is read until it tells. That it still waited at some time proves
 * nothing, because the request may yet arrive. refused: the approval was not taken, and the signal waits on.
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

/** A signal on which something was decided here, as last known. */
export interface Decided {
  signal: Signal
  outcome: Outcome
  /** When it was decided here, or was seen to be decided; milliseconds since the epoch, by the service's clock. */
  at: number
  /** When an approval of it was not taken before that; null where none was. */
  refusedBefore: string | null
}

/** Whether the signal is in the queue still: an approval that was not taken has decided nothing. */
export const isOpen = (decided: Decided | undefined): boolean =>
  decided === undefined || decided.outcome.is === 'refused'

/** Whether a decision has left and neither its answer nor the record has told of it. */
export const isOnItsWay = (decided: Decided | undefined): boolean =>
  decided?.outcome.is === 'sending' && ['pending', 'queued'].includes(decided.signal.status)

const UNDO_MS = 5_000
/** Milliseconds after the time for an undo; a device that slept for longer sends no rejection of before. */
const UNDO_LATE_MS = 10_000
const LOOK_EVERY_MS = 2_000

/** Lines that only say how a decision ended; older ones are in the list of signals, and each holds a part of the page. */
const MAX_SETTLED_LINES = 20

export const decisions = createStore<ReadonlyMap<string, Decided>>(new Map())
/** Rejections that can still be taken back. */
const heldBack = new Map<string, { timer: ReturnType<typeof setTimeout>; since: Stopwatch }>()

/** Whether nothing more is expected of a decision, so that its line may go. */
export const isSettled = ({ outcome: { is } }: Decided): boolean =>
  is !== 'sending' && is !== 'undoable' && is !== 'unknown'

/** An answer and news of the same signal may overtake one another: the newer record stays. */
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

/** Takes over news of a signal that a card still shows. */
export function follow(signal: Signal): void {
  const known = decisions.get().get(signal.id)
  if (!known) return
  if (known.outcome.is === 'undoable' && !mayBeDecided(signal.status)) {
    stopTimer(signal.id)
    return put(signal, takenElsewhere(signal, true))
  }
  // It was decided elsewhere in the moment of its expiry, or after an approval that was not taken.
  if ((known.outcome.is === 'expired' || known.outcome.is === 'refused') && !mayBeDecided(signal.status))
    return put(signal, takenElsewhere(signal, true))
  // It was on its way for so long that it was too old to be sent.
  const refused = notTaken(signal, known)
  if (known.outcome.is === 'done' && refused !== null) return put(signal, refused)
  put(signal, known.outcome.is === 'unknown' ? afterSilence(signal, known.outcome, known) : known.outcome)
}

/** Notifies on its card that a signal which was open here has been decided elsewhere, or has expired. */
export async function noticeDecidedElsewhere(signal: Pick<Signal, 'id'>): Promise<void> {
  const now = await read(signal.id)
  if (!now || mayBeDecided(now.status) || !isOpen(decisions.get().get(now.id))) return
  put(now, takenElsewhere(now, false))
}

const takenElsewhere = (signal: Signal, hadDecided: boolean): Outcome =>
  signal.statusReason === ('EXPIRED' satisfies CancelReason)
    ? { is: 'expired' }
    : { is: 'faster', message: decisionElsewhere(signal), hadDecided }

/** Who decided what, and when; or how the signal stands where nobody did. */
function decisionElsewhere({ status, decidedBy, decidedAt }: Signal): string {
  if (decidedBy === null || decidedAt === null) return `It is ${status} now`
  return `${status === 'rejected' ? 'Rejected' : 'Approved'} by ${decidedBy} at ${marketTime(decidedAt)}`
}

/** That the record tells of an approval that was not taken since; null where it does not. */
const notTaken = (
  { status, approvalRefused: refused }: Signal,
  { refusedBefore }: Pick<Decided, 'refusedBefore'>,
): Outcome | null =>
  mayBeDecided(status) && refused !== null && refused.at !== refusedBefore
    ? { is: 'refused', message: refused.message }
    : null

/**
 * What a record tells about a decision whose answer is missing. It does not name who decided: an approval shows
 * where the signal stands and why, which is true whoever decided, and only a rejection can be seen to have failed.
 */
function afterSilence(
  signal: Signal,
  unknown: Extract<Outcome, { is: 'unknown' }>,
  known: Pick<Decided, 'refusedBefore'>,
): Outcome {
  const { decision } = unknown
  if (mayBeDecided(signal.status)) return notTaken(signal, known) ?? unknown
  return decision === 'approve' || signal.status === 'rejected'
    ? { is: 'done', decision }
    : takenElsewhere(signal, true)
}

/** Sends the approval at once and exactly once; it is never repeated from here. */
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

/** Holds the rejection back for five seconds, in which it can be taken back. */
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

/** Sends what is still held back: a hidden page may never come back. */
export async function sendQueuedRejections(): Promise<void> {
  const held = [...decisions.get()].filter(([, { outcome }]) => outcome.is === 'undoable')
  await Promise.all(held.map(([id]) => sendRejection(id)))
}

/** Forgets what was decided here: the next person who signs in is told nothing of it. */
export function forgetDecisions(): void {
  for (const id of heldBack.keys()) stopTimer(id)
  decisions.set(new Map())
}

/** Notifies what came of a decision; where the session has ended meanwhile, it was forgotten, and nobody else is told of it. */
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
    const isOver = now !== undefined && now.validUntil !== null && Date.parse(now.validUntil) <= serviceNow()
    return settle(
      signal,
      isOver ? { is: 'expired' } : { is: 'faster', message: problem.message, hadDecided: true },
    )
  }
  if (problem.status === 422) return settle((await read(signal.id)) ?? signal, { is: 'rejected', problem })
  // Without an answer, or with one that tells only that something broke on the way, it may have been done.
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

/** Reads the record until it tells what became of the request, or the person has put the card away. */
async function lookUntilKnown(id: string): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    const now = await read(id)
    const known = decisions.get().get(id)
    if (known?.outcome.is !== 'unknown') return
    if (now) put(now, afterSilence(now, { ...known.outcome, stillWaitedAt: serviceNow() }, known))
  }
}
