import type { Signal } from '#client/types.ts'
import { mayBeDecided } from '#domain/signal-status.ts'
import { ask } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { noAnswer, Problem } from '../connection/problem.ts'
import { createStore } from '../connection/store.ts'

/** What a person changed before approving. */
export interface Edit {
  quantity?: string
  limitPrice?: string
}

/**
 * What came of a decision that was taken here. The card shows it until it is dismissed.
 * unknown: no answer came back, and the record is read until it tells.
 */
export type Outcome =
  | { is: 'undoable'; until: number; reason: string }
  | { is: 'sending'; decision: 'approve' | 'reject'; since: number }
  | { is: 'unknown' }
  | { is: 'refused'; problem: Problem }
  | { is: 'faster'; message: string }
  | { is: 'done'; decision: 'approve' | 'reject'; tookMs: number }
  | { is: 'failed'; problem: Problem }

/** A signal on which something was decided here, as last known. */
export interface Decided {
  signal: Signal
  outcome: Outcome
}

export const UNDO_MS = 5_000
const LOOK_EVERY_MS = 2_000

export const decisions = createStore<ReadonlyMap<string, Decided>>(new Map())
const timers = new Map<string, ReturnType<typeof setTimeout>>()

function put(signal: Signal, outcome: Outcome): void {
  decisions.set(new Map(decisions.get()).set(signal.id, { signal, outcome }))
}

export function dismiss(id: string): void {
  const next = new Map(decisions.get())
  next.delete(id)
  decisions.set(next)
}

/** Takes over news of a signal that a card still shows. */
export function follow(signal: Signal): void {
  const known = decisions.get().get(signal.id)
  if (!known) return
  if (known.outcome.is === 'undoable' && !mayBeDecided(signal.status)) {
    stopTimer(signal.id)
    return put(signal, { is: 'faster', message: `It is ${signal.status} already.` })
  }
  put(signal, known.outcome.is === 'unknown' ? settled(signal) : known.outcome)
}

/** Tells on its card that a signal which was open here has been decided elsewhere. */
export async function noticeDecidedElsewhere(signal: Signal): Promise<void> {
  const now = await read(signal.id)
  if (!now || mayBeDecided(now.status) || decisions.get().has(now.id)) return
  put(now, settled(now))
}

const settled = (signal: Signal): Outcome =>
  mayBeDecided(signal.status) ? { is: 'unknown' } : { is: 'faster', message: `It is ${signal.status} now.` }

/** Sends the approval at once and exactly once; it is never repeated from here. */
export async function approve(signal: Signal, edit: Edit = {}): Promise<void> {
  if (decisions.get().has(signal.id)) return
  await decide(signal, 'approve', async () => {
    const { body } = await ask('POST /api/v1/signals/{id}/process', {
      path: { id: signal.id },
      body: { ...edit },
    })
    return body.data.signal
  })
}

/** Holds the rejection back for five seconds, in which it can be taken back. */
export function reject(signal: Signal, reason: string): void {
  if (decisions.get().has(signal.id)) return
  put(signal, { is: 'undoable', until: serviceNow() + UNDO_MS, reason })
  timers.set(
    signal.id,
    setTimeout(() => void sendRejection(signal.id), UNDO_MS),
  )
}

export function undo(id: string): void {
  if (decisions.get().get(id)?.outcome.is !== 'undoable') return
  stopTimer(id)
  dismiss(id)
}

function stopTimer(id: string): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
}

async function sendRejection(id: string): Promise<void> {
  stopTimer(id)
  const known = decisions.get().get(id)
  if (known?.outcome.is !== 'undoable') return
  const { reason } = known.outcome
  await decide(known.signal, 'reject', async () => {
    const { body } = await ask('POST /api/v1/signals/{id}/reject', {
      path: { id },
      body: reason === '' ? {} : { reason },
    })
    return body.data.signal
  })
}

/** Sends what is still held back: a hidden page may never come back. */
export function sendHeldRejections(): void {
  for (const [id, { outcome }] of decisions.get()) if (outcome.is === 'undoable') void sendRejection(id)
}

async function decide(
  signal: Signal,
  decision: 'approve' | 'reject',
  send: () => Promise<Signal>,
): Promise<void> {
  const began = performance.now()
  put(signal, { is: 'sending', decision, since: serviceNow() })
  try {
    const after = await send()
    put(after, { is: 'done', decision, tookMs: performance.now() - began })
  } catch (error) {
    await explain(signal, decision, error instanceof Problem ? error : noAnswer())
  }
}

async function explain(signal: Signal, decision: 'approve' | 'reject', problem: Problem): Promise<void> {
  if (problem.status === 409)
    return put((await read(signal.id)) ?? signal, { is: 'faster', message: problem.message })
  if (problem.status === 422) return put((await read(signal.id)) ?? signal, { is: 'refused', problem })
  // Without an answer, or with one that tells only that something broke on the way, it may have been done.
  if (problem.status === 0 || problem.status >= 500) {
    put(signal, { is: 'unknown' })
    return lookUntilKnown(signal, decision)
  }
  put(signal, { is: 'failed', problem })
}

const read = async (id: string): Promise<Signal | undefined> =>
  ask('GET /api/v1/signals/{id}', { path: { id } }).then(
    ({ body }) => body.data,
    () => undefined,
  )

/** Reads the record until it can be told what became of the request. Still pending after an answer: nothing was done. */
async function lookUntilKnown(signal: Signal, decision: 'approve' | 'reject'): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    if (decisions.get().get(signal.id)?.outcome.is !== 'unknown') return
    const now = await read(signal.id)
    if (now === undefined) continue
    if (!mayBeDecided(now.status)) return put(now, { is: 'done', decision, tookMs: Number.NaN })
    return put(now, { is: 'failed', problem: noAnswer() })
  }
}
