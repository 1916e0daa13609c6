import { setTimeout as sleep } from 'node:timers/promises'

/** An account may send 600 entries in a minute of the clock unless its owner has set more; some are left for others. */
const ENTRIES_A_MINUTE = 550

/** The most calls that may follow one another without a pause. */
export const LARGEST_BLOCK = ENTRIES_A_MINUTE

/** Keeps an account below the number of orders that it may send in a minute of the clock. */
export class MinuteBudget {
  #minute = 0
  #taken = 0

  /** Waits until so many calls fit into the present minute. Throws RangeError for more than ever fit. */
  async take(calls: number): Promise<void> {
    if (calls > LARGEST_BLOCK) throw new RangeError(`${calls} calls never fit into a minute`)
    this.#turn()
    if (this.#taken + calls > ENTRIES_A_MINUTE) {
      await sleep(60_000 - (Date.now() % 60_000))
      this.#turn()
    }
    this.#taken += calls
  }

  #turn(): void {
    const minute = Math.floor(Date.now() / 60_000)
    if (minute === this.#minute) return
    this.#minute = minute
    this.#taken = 0
  }
}
