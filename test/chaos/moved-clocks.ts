import { MovableClock } from '#test/support/clocks.ts'
import type { StackOptions } from '#test/support/stack-parts.ts'
import { stillKilling } from './killing.ts'
import type { Random } from './random.ts'

/** By how much a clock is wrong at most, ahead or behind; milliseconds. */
export const CLOCK_ERROR_MS = 15_000

/** Sets the clocks of API and worker wrong while they run, each for itself, and right in the end. */
export class MovedClocks {
  moves = 0
  readonly #clocks = { api: new MovableClock(), worker: new MovableClock() }
  readonly #random: Random
  readonly #calm = new AbortController()
  #moving: Promise<void> = Promise.resolve()

  constructor(random: Random) {
    this.#random = random
  }

  /** What the parts are to be started with. */
  get settings(): Required<Pick<StackOptions, 'api' | 'worker'>> {
    return { api: this.#clocks.api.settings, worker: this.#clocks.worker.settings }
  }

  /** Begins, so many milliseconds apart on average. */
  begin(everyMs: number): void {
    this.#moving = this.#moveEvery(everyMs)
    // Thrown where its end is waited for.
    this.#moving.catch(() => {})
  }

  async end(): Promise<void> {
    this.#calm.abort()
    await this.#moving
    for (const clock of Object.values(this.#clocks)) clock.move(0)
  }

  /** No process reads them any more. */
  remove(): void {
    for (const clock of Object.values(this.#clocks)) clock.remove()
  }

  async #moveEvery(everyMs: number): Promise<void> {
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction()))) {
      this.moves += 1
      const clock = this.#random.pick(Object.values(this.#clocks))
      // Mostly wrong by as much as it may be: that finds most.
      clock.move(this.#random.pick([-CLOCK_ERROR_MS, CLOCK_ERROR_MS, 0, this.#random.between(-5_000, 5_000)]))
    }
  }
}
