import type { IncomingHttpHeaders } from 'node:http'
import { BrokerBusy } from './port.ts'

/**
 * Brokers count requests by the minute. A wait that is longer is the mistake of a clock or of a proxy, and would keep exits
 * in; milliseconds.
 */
export const MAX_ASKED_WAIT = 60_000
/** A broker's clock that differs from ours by less is not told from the second to which it names its time; milliseconds. */
const CLOCK_NOISE = 2_000
/** The wait when the broker names none, in milliseconds. */
const DEFAULT_WAIT = 1_000

/**
 * For how long a broker wants to be left alone, in milliseconds from 0 to {@link MAX_ASKED_WAIT}: by `Retry-After` (seconds or
 * an HTTP date), or by `X-RateLimit-Reset` (a Unix time in seconds). Instants are read by the broker's own clock where its
 * answer tells it. Null when it names nothing that can be read.
 */
export function askedWait(headers: IncomingHttpHeaders, now = Date.now()): number | null {
  const after = headers['retry-after']?.trim()
  if (after !== undefined && after !== '') {
    const wait = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - clock(headers, now)
    if (!Number.isNaN(wait)) return bounded(wait)
  }
  const reset = Number(headers['x-ratelimit-reset'])
  return reset > 0 ? bounded(reset * 1_000 - clock(headers, now)) : null
}

const bounded = (wait: number): number => Math.min(Math.max(0, Math.ceil(wait)), MAX_ASKED_WAIT)

function clock({ date }: IncomingHttpHeaders, now: number): number {
  const told = Date.parse(date ?? '')
  return Math.abs(told - now) > CLOCK_NOISE ? told : now
}

/** The words to people about a limit that is reached. */
export const limitReached = (until: number): string =>
  `The broker's request limit is reached; nothing is sent until ${new Date(until).toISOString().slice(0, 19)}Z`

/** The broker has refused a request because of its limit. */
export function busyUntil(headers: IncomingHttpHeaders, now = Date.now()): BrokerBusy {
  const wait = askedWait(headers, now) ?? DEFAULT_WAIT
  return new BrokerBusy(limitReached(now + wait), wait)
}
