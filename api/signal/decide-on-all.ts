import { ApiError } from '#contract/errors.ts'
import { DECISION_UNCONFIRMED } from '#domain/signal/advisory.ts'
import { isFailed } from '#domain/signal/signal.ts'
import type { ApprovalRefusedAnswer, DecidedAnswer, DecidedLineAnswer } from '#contract/signal/answers.ts'
import type { Decided } from './decide.ts'
import { presentSignal, rejectionOf } from './present.ts'
import type { Signal } from '#db/entities/index.ts'
import { findSignals } from '#db/signal/signals.ts'
import type { Caller } from '../http/caller.ts'

/** Answers 200 executed, 202 outcome unknown, 422 denied, rejected or not sent. */
export function presentApproved(
  decided: Decided,
  requestId: string,
): { status: number; body: DecidedAnswer | ApprovalRefusedAnswer } {
  const { signal, isConfirmed } = decided
  if (!isConfirmed) return presentDecided(decided)
  if (isFailed(signal.status)) return { status: 422, body: { ...rejectionOf(signal), requestId } }
  const status = signal.status === 'executed' ? 200 : 202
  return { status, body: { signal: presentSignal(signal) } }
}

/** Answers 200 confirmed, 202 unconfirmed. */
export function presentDecided({ signal, isConfirmed }: Decided): { status: number; body: DecidedAnswer } {
  if (isConfirmed) return { status: 200, body: { signal: presentSignal(signal) } }
  return { status: 202, body: { signal: presentSignal(signal), advisories: [UNCONFIRMED] } }
}

const UNCONFIRMED = {
  code: DECISION_UNCONFIRMED,
  message:
    'The decision was passed on and is not confirmed yet: it may still take effect. Check the signal, or send the decision again, which is safe',
}

export function presentApprovedLine(decided: Decided): DecidedLineAnswer {
  const { signal, isConfirmed } = decided
  if (!isConfirmed || !isFailed(signal.status)) return presentDecidedLine(decided)
  const { error, code } = rejectionOf(signal)
  return { id: signal.id, success: false, code, error, signal: presentSignal(signal) }
}

export const presentDecidedLine = ({ signal, isConfirmed }: Decided): DecidedLineAnswer =>
  isConfirmed
    ? { id: signal.id, success: true, signal: presentSignal(signal) }
    : {
        id: signal.id,
        success: false,
        code: UNCONFIRMED.code,
        error: UNCONFIRMED.message,
        signal: presentSignal(signal),
      }

const presentFailedLine = (id: string, { code, message }: ApiError): DecidedLineAnswer => ({
  id,
  success: false,
  code,
  error: message,
})

export type PresentLine = (decided: Decided) => DecidedLineAnswer

export type Decide = (signal: Signal) => Promise<Decided>

export async function decideOnAll(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  ids: readonly string[],
  presentLine: PresentLine,
  decide: Decide,
): Promise<{ results: DecidedLineAnswer[] }> {
  const found = await inTime(findSignals(em, principal.userId, ids))
  const signals = new Map(found.map((signal) => [signal.id, signal]))
  const results = await Promise.all(
    ids.map(async (id) => {
      const signal = signals.get(id)
      if (!signal) return presentFailedLine(id, new ApiError('SIGNAL_NOT_FOUND'))
      return lineOf(signal, presentLine, decide)
    }),
  )
  return { results }
}

export const decideOnEach = async (
  signals: readonly Signal[],
  presentLine: PresentLine,
  decide: Decide,
): Promise<{ results: DecidedLineAnswer[] }> => ({
  results: await Promise.all(signals.map((signal) => lineOf(signal, presentLine, decide))),
})

async function lineOf(signal: Signal, presentLine: PresentLine, decide: Decide): Promise<DecidedLineAnswer> {
  try {
    return presentLine(await decide(signal))
  } catch (error) {
    if (error instanceof ApiError) return presentFailedLine(signal.id, error)
    throw error
  }
}
