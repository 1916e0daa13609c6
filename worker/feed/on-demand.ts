import { pauseUnless } from './pause.ts'

/** Work that is asked for more often than it is worth doing. What fails is done again until it succeeds. */
export class OnDemand {
  readonly #work: () => Promise<void>
  readonly #onTrouble: (error: unknown) => Promise<void> | void
  #isAsked = false

  /** @param onTrouble told why the work has failed this time */
  constructor(work: () => Promise<void>, onTrouble: (error: unknown) => Promise<void> | void) {
    this.#work = work
    this.#onTrouble = onTrouble
  }

  ask(): void {
    this.#isAsked = true
  }

  /** Does the work when it is asked for, at most every so many milliseconds, until aborted. */
  async run(signal: AbortSignal, atMostEvery: number): Promise<void> {
    while (!signal.aborted) {
      if (this.#isAsked) {
        this.#isAsked = false
        try {
          await this.#work()
        } catch (error) {
          this.#isAsked = true
          await this.#onTrouble(error)
        }
      }
      await pauseUnless(signal, atMostEvery)
    }
  }
}
