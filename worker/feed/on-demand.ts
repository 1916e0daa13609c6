import { BrokerBusy } from '#brokers/port.ts'
import { pauseUnless } from '#config/periodically.ts'
import { Backoff, type BackoffLimits } from '#domain/backoff.ts'
import { Pause } from './pause.ts'

/** Pauses after work that has failed, in milliseconds. */
const TRY_AGAIN: BackoffLimits = { first: 1_000, most: 60_000 }

/**
 * Work that is asked for more often than it is worth doing. What fails is done again until it succeeds, ever more rarely: a
 * broker in trouble is not helped by more requests.
 */
export class OnDemand {
  readonly #work: () => Promise<void>
  readonly #onTrouble: (error: unknown) => Promise<void> | void
  readonly #pause = new Pause()
  readonly #backoff = new Backoff(TRY_AGAIN)
  #isAsked = false

  /** @param onTrouble told why the work has failed this time */
  constructor(work: () => Promise<void>, onTrouble: (error: unknown) => Promise<void> | void) {
    this.#work = work
    this.#onTrouble = onTrouble
  }

  ask(): void {
    this.#isAsked = true
  }

  /** The trouble may be over: work that has failed is tried at once. If it fails again, its next pause is the longer one. */
  tryNow(): void {
    this.#pause.end()
  }

  /** Does the work when it is asked for, at most every so many milliseconds, until aborted. */
  async run(signal: AbortSignal, atMostEvery: number): Promise<void> {
    while (!signal.aborted) {
      let wait: number | null = null
      if (this.#isAsked) {
        this.#isAsked = false
        try {
          await this.#work()
          this.#backoff.reset()
        } catch (error) {
          this.#isAsked = true
          wait = pauseAfterFailure(error, this.#backoff)
          await this.#onTrouble(error)
        }
      }
      await pauseUnless(signal, atMostEvery)
      if (wait !== null && wait > atMostEvery) await this.#pause.unlessEnded(signal, wait - atMostEvery)
    }
  }
}

/** A broker that says how long it wants to be left alone is not asked before. */
export const pauseAfterFailure = (error: unknown, backoff: Backoff): number =>
  Math.max(backoff.next(), error instanceof BrokerBusy ? error.retryAfterMs : 0)
