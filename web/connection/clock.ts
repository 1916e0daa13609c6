/** Milliseconds that the service's clock is ahead of this device's; a device's own may be wrong by hours. */
let ahead = 0
let shortest = Number.POSITIVE_INFINITY

/** Learns the service's time from an answer that took so many milliseconds; the quickest answer counts. */
export function learnTime(date: string | null, tookMs: number): void {
  if (date === null || tookMs > shortest) return
  shortest = tookMs
  // The header names whole seconds: half a second is added as the most likely rest.
  ahead = Date.parse(date) + 500 - (Date.now() - tookMs / 2)
}

/** The service's time now, in milliseconds since 1970, true to about a second. */
export const serviceNow = (): number => Date.now() + ahead
