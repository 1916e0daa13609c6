/** Milliseconds that the service's clock is ahead of this device's; a device's own may be wrong by hours. */
let ahead = 0
let shortest = Number.POSITIVE_INFINITY
/** Two answers may differ by so much because their times are whole seconds; clocks drift by less. */
const MAX_ROUNDING_MS = 2_000

/**
 * Learns the service's time from an answer that took so many milliseconds. The quickest answer counts, until one shows that
 * the clock of the device was set meanwhile.
 */
export function learnTime(date: string | null, tookMs: number): void {
  if (date === null) return
  // The header names whole seconds: half a second is added as the most likely rest.
  const learned = Date.parse(date) + 500 - (Date.now() - tookMs / 2)
  const wasSet = Math.abs(learned - ahead) > tookMs / 2 + shortest / 2 + MAX_ROUNDING_MS
  if (tookMs > shortest && !wasSet) return
  shortest = tookMs
  ahead = learned
}

/** The service's time now, in milliseconds since 1970, true to about a second. */
export const serviceNow = (): number => Date.now() + ahead
