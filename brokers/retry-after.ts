import type { IncomingHttpHeaders } from 'node:http'
import { BrokerBusy } from './port.ts'

/** Brokers count by the minute: a longer wait is a mistake, and would delay exits. */
export const MAX_RETRY_AFTER_MS = 60_000
/** Milliseconds: a broker's clock names whole seconds. */
const CLOCK_NOISE = 2_000
/** Milliseconds. */
const DEFAULT_WAIT = 1_000

/**
 * Milliseconds from 0 to {@link MAX_RETRY_AFTER_MS} by `Retry-After` (seconds or an HTTP date) or `X-RateLimit-Reset`
 * (Unix seconds), by the broker's clock where the answer has it. Null without a readable one.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, now = Date.now()): number | null {
  const after = headers['retry-after']?.trim()
  if (after !== undefined && after !== '') {
    const wait = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - clock(headers, now)
    if (!Number.isNaN(wait)) return bounded(wait)
  }
  const reset = Number(headers['x-ratelimit-reset'])
  return reset > 0 ? bounded(reset * 1_000 - clock(headers, now)) : null
}

const bounded = (wait: number): number => Math.min(Math.max(0, Math.ceil(wait)), MAX_RETRY_AFTER_MS)

function clock({ date }: IncomingHttpHeaders, now: number): number {
  const told = Date.parse(date ?? '')
  return Math.abs(told - now) > CLOCK_NOISE ? told : now
}

export const limitReached = (until: number): string =>
  `The broker's request limit is reached; nothing is sent until ${new Date(until).toISOString().slice(0, 19)}Z`

export function busyUntil(headers: IncomingHttpHeaders, now = Date.now()): BrokerBusy {
  const wait = retryAfterMs(headers, now) ?? DEFAULT_WAIT
  return new BrokerBusy(limitReached(now + wait), wait)
}
