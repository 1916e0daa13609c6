/** Pauses between tries, each twice as long as the one before, in milliseconds. */
export interface BackoffLimits {
  first: number
  most: number
}

/** The pause after so many failures in a row, from 1 on. */
export const pauseAfter = (failures: number, { first, most }: BackoffLimits): number =>
  Math.min(first * 2 ** (failures - 1), most)

/** Counts the tries that have failed since the last one that succeeded. */
export class Backoff {
  readonly #limits: BackoffLimits
  #failures = 0

  constructor(limits: BackoffLimits) {
    this.#limits = limits
  }

  /** One more try has failed; returns the pause before the next, in milliseconds. */
  next(): number {
    this.#failures += 1
    return pauseAfter(this.#failures, this.#limits)
  }

  /** A try has succeeded: the next pause is the first again. */
  reset(): void {
    this.#failures = 0
  }
}
