import { BrokerBusy } from '#brokers/port.ts'
import { pauseUnless } from '#config/periodically.ts'
import { Backoff, type BackoffLimits } from '#domain/async/backoff.ts'

export class Pause {
  #ending = new AbortController()

  end(): void {
    this.#ending.abort()
  }

  async unlessEnded(signal: AbortSignal, milliseconds: number): Promise<void> {
    this.#ending = new AbortController()
    await pauseUnless(AbortSignal.any([signal, this.#ending.signal]), milliseconds)
  }
}

const TRY_AGAIN_MS: BackoffLimits = { first: 1_000, most: 60_000 }

/** Failures are retried ever more rarely: requests do not help a broker in trouble. */
export class OnDemand {
  readonly #work: () => Promise<void>
  readonly #onTrouble: (error: unknown) => Promise<void> | void
  readonly #pause = new Pause()
  readonly #backoff = new Backoff(TRY_AGAIN_MS)
  #isAsked = false

  constructor(work: () => Promise<void>, onTrouble: (error: unknown) => Promise<void> | void) {
    this.#work = work
    this.#onTrouble = onTrouble
  }

  ask(): void {
    this.#isAsked = true
  }

  tryNow(): void {
    this.#pause.end()
  }

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

export const pauseAfterFailure = (error: unknown, backoff: Backoff): number =>
  Math.max(backoff.next(), error instanceof BrokerBusy ? error.retryAfterMs : 0)
