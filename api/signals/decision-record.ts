import type { Signal } from '#db/entities/index.ts'
import { isFailed } from '#domain/signal-status.ts'
import type { ApiError } from '../http/errors.ts'
import type { ApprovalRefusedAnswer, DecidedLineAnswer, SignalAnswer } from './answers.ts'
import { presentSignal, rejectionOf } from './record.ts'

/** The HTTP answer to an approval: 200 executed, 202 outcome not known yet, 422 denied, rejected or not sent. */
export function presentApproved(
  signal: Signal,
  requestId: string,
): { status: number; body: { signal: SignalAnswer } | ApprovalRefusedAnswer } {
  if (isFailed(signal.status)) return { status: 422, body: { ...rejectionOf(signal), requestId } }
  const status = signal.status === 'executed' ? 200 : 202
  return { status, body: { signal: presentSignal(signal) } }
}

/** What came of the approval of one signal of several. */
export function presentApprovedLine(signal: Signal): DecidedLineAnswer {
  if (!isFailed(signal.status)) return presentDecidedLine(signal)
  const { error, code } = rejectionOf(signal)
  return { id: signal.id, success: false, code, error, signal: presentSignal(signal) }
}

/** What came of another decision on one signal of several. */
export const presentDecidedLine = (signal: Signal): DecidedLineAnswer => ({
  id: signal.id,
  success: true,
  signal: presentSignal(signal),
})

/** A decision that was not taken on one signal of several. */
export const presentFailedLine = (id: string, { code, message }: ApiError): DecidedLineAnswer => ({
  id,
  success: false,
  code,
  error: message,
})
