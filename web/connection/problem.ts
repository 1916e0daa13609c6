import type { Advisory, Fault, Signal } from '#client/types.ts'
import { DECISION_UNCONFIRMED } from '#domain/signal/advisory.ts'
import { duration } from '../words/times.ts'

/** Why a request brought nothing: what to show, and what support knows it by. */
export class Problem extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** Stable, from the service's catalogue; NO_ANSWER when none came, NOT_SENT when it was not asked. */
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

/** What went wrong, of anything that was thrown. */
export const asProblem = (error: unknown): Problem => (error instanceof Problem ? error : noAnswer())

/** The code of a request that never left, because the session could not be renewed. */
export const NOT_SENT = 'NOT_SENT'

export const notSent = (
  words = 'The service could not be reached. Check the connection and try again.',
): Problem => new Problem(0, NOT_SENT, words, null)

/**
 * The signal after a decision on it. Throws, as where no answer came, when the decision was handed on and is not confirmed: it may
 * still be taken.
 */
export function confirmed({ signal, advisories }: { signal: Signal; advisories?: Advisory[] }): Signal {
  const doubt = advisories?.find(({ code }) => code === DECISION_UNCONFIRMED)
  if (doubt) throw new Problem(0, doubt.code, doubt.message, null)
  return signal
}

/** The words of a request too many, with when it may be sent again: "Too many requests: try again in 12 s". */
function tooMany(message: string, retryAfter: unknown): string {
  if (typeof retryAfter !== 'number') return message
  const inTime = `ry again in ${duration(retryAfter * 1_000)}`
  return message.endsWith(WINDOW) ? message.replace(WINDOW, `: t${inTime}`) : `${message}. T${inTime}`
}

/** What the service says without knowing what a person is to do meanwhile. */
const WINDOW = ': wait until the window ends'

/** A key of this page's own names one question: where it was used, what was asked before did arrive. */
const ARRIVED_BEFORE =
  'Your earlier request arrived, but its answer was lost. Check your orders; nothing else was sent.'

/**
 * Reads a refusal as every route writes it. Some write `{error: words, code}`, and those of orders, positions and
 * accounts write `{error: code, message: words}`.
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
