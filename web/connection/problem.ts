import type { Advisory, Fault, Signal } from '#client/types.ts'
import { DECISION_UNCONFIRMED } from '#domain/signal/advisory.ts'
import { duration } from '../words/times.ts'

/** Failure of a request, with its id for support. */
export class Problem extends Error {
  /** 0 without an answer. */
  readonly status: number
  /** Code of the service's catalogue; NO_ANSWER without an answer, NOT_SENT when no request was sent. */
  readonly code: string
  readonly requestId: string | null
  readonly faults: readonly Fault[]

  constructor(status: number, code: string, message: string, requestId: string | null, faults: Fault[] = []) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.requestId = requestId
    this.faults = faults
  }
}

export const noAnswer = (): Problem =>
  new Problem(0, 'NO_ANSWER', 'The service did not answer. Check the connection and try again.', null)

/** The problem of any thrown value. */
export const asProblem = (error: unknown): Problem => (error instanceof Problem ? error : noAnswer())

/** Code of a request that was never sent, because the session could not be renewed. */
export const NOT_SENT = 'NOT_SENT'

export const notSent = (
  words = 'The service could not be reached. Check the connection and try again.',
): Problem => new Problem(0, NOT_SENT, words, null)

/**
 * The signal after a decision. Throws a {@link Problem}, as without an answer, when the decision is not confirmed: it
 * may still take effect.
 */
export function confirmed({ signal, advisories }: { signal: Signal; advisories?: Advisory[] }): Signal {
  const doubt = advisories?.find(({ code }) => code === DECISION_UNCONFIRMED)
  if (doubt) throw new Problem(0, doubt.code, doubt.message, null)
  return signal
}

/** Message of a rate limit: "Too many requests: try again in 12 s". */
function tooMany(message: string, retryAfter: unknown): string {
  if (typeof retryAfter !== 'number') return message
  const inTime = `ry again in ${duration(retryAfter * 1_000)}`
  return message.endsWith(WINDOW) ? message.replace(WINDOW, `: t${inTime}`) : `${message}. T${inTime}`
}

/** End of a service message that names no time to wait. */
const WINDOW = ': wait until the window ends'

/** A key names one request of this page: if it was used, the earlier request has arrived. */
const ARRIVED_BEFORE =
  'Your earlier request arrived, but its answer was lost. Check your orders; nothing else was sent.'

/**
 * Problem in the answer of any route. Some answer `{error: words, code}`; those of orders, positions and accounts
 * answer `{error: code, message: words}`.
 */
export function problemOf(status: number, body: unknown): Problem {
  const {
    error,
    message,
    code: own,
    requestId,
    details,
    retryAfter,
  } = (body ?? {}) as Record<string, unknown>
  const isBare = own === undefined && typeof message === 'string'
  const code = isBare ? error : own
  const text = code === 'IDEMPOTENCY_KEY_REUSED' ? ARRIVED_BEFORE : isBare || status === 429 ? message : error
  return new Problem(
    status,
    typeof code === 'string' ? code : `HTTP_${status}`,
    typeof text === 'string' ? tooMany(text, retryAfter) : `The service answered with status ${status}.`,
    typeof requestId === 'string' ? requestId : null,
    Array.isArray(details) ? (details as Fault[]) : [],
  )
}
