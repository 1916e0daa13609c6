import { setTimeout as sleep } from 'node:timers/promises'

/** An account is stopped by its 1,000th entry in a minute of the clock (`ORDER_CAPS`), whatever its owner has set. */
const ENTRIES_A_MINUTE = 900

const minuteNow = (): number => Math.floor(Date.now() / 60_000)

/** Returns a function that waits until so many more entries, at most 900, fit into the present minute. */
export function createMinuteBudget(): (calls: number) => Promise<void> {
  let [minute, taken, last] = [0, 0, 0]
  return async (calls) => {
    // The calls before may have begun in the minute before and gone on in this one.
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
