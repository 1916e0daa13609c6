/** Milliseconds that the service's clock is ahead of this device's, which may be wrong by hours. */
let ahead = 0
let shortest = Number.POSITIVE_INFINITY
/** Greatest difference of two answers in milliseconds, because their times are whole seconds; clocks drift by less. */
const MAX_ROUNDING_MS = 2_000

/**
 * Learns the service's time from a Date header. The quickest answer counts, until one shows that the device's clock was
 * set meanwhile.
 */
export function learnTime(date: string | null, tookMs: number): void {
  if (date === null) return
  // The header has whole seconds: half a second is the most likely rest.
  const learned = Date.parse(date) + 500 - (Date.now() - tookMs / 2)
  const wasSet = Math.abs(learned - ahead) > tookMs / 2 + shortest / 2 + MAX_ROUNDING_MS
  if (tookMs > shortest && !wasSet) return
  shortest = tookMs
  ahead = learned
}

/** The service's time in milliseconds since 1970, accurate to about a second. */
export const serviceNow = (): number => Date.now() + ahead
