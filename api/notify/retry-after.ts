import type { OutgoingAnswer } from './outgoing.ts'

/** A receiver that names a later time is mistaken. */
const MAX_ASKED_PAUSE_MS = 86_400_000

/** Milliseconds of Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); else null. */
export function pauseOf({ 'retry-after': header }: OutgoingAnswer['headers'], now: number): number | null {
  if (typeof header !== 'string') return null
  if (/^\d{1,9}(\.\d{1,9})?$/.test(header)) return pauseOfSeconds(header)
  return /^[A-Z]/i.test(header) ? bounded(Date.parse(header) - now) : null
}

/** Milliseconds; null for anything but seconds. */
export function pauseOfSeconds(seconds: unknown): number | null {
  const isGiven = typeof seconds === 'number' || (typeof seconds === 'string' && seconds !== '')
  return isGiven ? bounded(Number(seconds) * 1_000) : null
}

const bounded = (pause: number): number | null =>
  Number.isNaN(pause) ? null : Math.min(Math.max(Math.ceil(pause), 0), MAX_ASKED_PAUSE_MS)
