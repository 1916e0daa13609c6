import type { OutgoingAnswer } from './outgoing.ts'
import type { Delivery } from './port.ts'
import { pauseOf } from './retry-after.ts'

export const REDIRECTED = 'it answers with a redirect, which is not followed'

export interface Judged {
  /** As in a sentence, such as "the push service". */
  service: string
  /** What it says of the fault, as far as it is no text of other people. */
  detail?: string | undefined
  /** Milliseconds that it asks for other than by Retry-After. */
  retryAfter?: number | null
  now: number
}

/** By the status alone: a service whose 200 may say something else is asked first. */
export function judge({ status, headers }: OutgoingAnswer, judged: Judged): Delivery {
  const { service, detail, retryAfter = null, now } = judged
  if (status >= 200 && status < 300) return { is: 'taken' }
  const reason = `${service} answered ${status}${detail ? `: ${detail}` : ''}`
  if (status >= 300 && status < 400) return { is: 'failed', reason: REDIRECTED, retryAfter: null }
  if (status === 404 || status === 410) return { is: 'gone', reason }
  if (status === 408 || status === 429 || status >= 500)
    return { is: 'failed', reason, retryAfter: retryAfter ?? pauseOf(headers, now) }
  return { is: 'refused', reason }
}

/** An answer that looks like success, and confirms nothing. */
export const unconfirmed = (service: string): Delivery => ({
  is: 'failed',
  reason: `${service} answered without confirming the message`,
  retryAfter: null,
})

/** Of a body that may hold anything; empty unless it is a JSON object. */
export function fieldsOf({ body }: Pick<OutgoingAnswer, 'body'>): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
