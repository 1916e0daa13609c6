import { setTimeout as sleep } from 'node:timers/promises'

/** An account is stopped that sends 1,000 entries in a minute of the clock, whatever its owner has set; some are left for others. */
const ENTRIES_A_MINUTE = 900

/** The most calls that may follow one another without a pause. */
const LARGEST_BLOCK = ENTRIES_A_MINUTE

/** Keeps an account below the number of orders that it may send in a minute of the clock. */
export class MinuteBudget {
  #minute = 0
  #taken = 0
  #last = 0

  /** Waits until so many calls fit into the present minute. Throws RangeError for more than ever fit. */
  async take(calls: number): Promise<void> {
    if (calls > LARGEST_BLOCK) throw new RangeError(`${calls} calls never fit into a minute`)
    const minute = minuteNow()
    if (minute !== this.#minute) {
      // The calls before may have begun in the minute before and gone on in this one.
      this.#taken = minute === this.#minute + 1 ? this.#last : 0
      this.#minute = minute
    }
    if (this.#taken + calls > ENTRIES_A_MINUTE) {
      await sleep(60_000 - (Date.now() % 60_000))
      this.#minute = minuteNow()
      this.#taken = 0
    }
    this.#taken += calls
    this.#last = calls
  }
}

const minuteNow = (): number => Math.floor(Date.now() / 60_000)
