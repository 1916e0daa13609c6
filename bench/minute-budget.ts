import { setTimeout as sleep } from 'node:timers/promises'

/** Entries per minute, because `ORDER_CAPS` stops an account at its 1,000th in a minute of the clock. */
const ENTRIES_A_MINUTE = 900

const minuteNow = (): number => Math.floor(Date.now() / 60_000)

/** Returns a function that waits until that number of entries, at most 900, fits into the present minute. */
export function createMinuteBudget(): (calls: number) => Promise<void> {
  let [minute, taken, last] = [0, 0, 0]
  return async (calls) => {
    // Earlier calls may have begun in the last minute and continued in this one.
    if (minuteNow() !== minute) taken = minuteNow() === minute + 1 ? last : 0
    if (taken + calls > ENTRIES_A_MINUTE) {
      await sleep(60_000 - (Date.now() % 60_000))
      taken = 0
    }
    minute = minuteNow()
    taken += calls
    last = calls
  }
}
