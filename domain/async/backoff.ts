/** Milliseconds; each pause is twice the one before. */
export interface BackoffLimits {
  first: number
  most: number
}

export const pauseAfter = (failures: number, { first, most }: BackoffLimits): number =>
  Math.min(first * 2 ** (failures - 1), most)

export class Backoff {
  readonly #limits: BackoffLimits
  #failures = 0

  constructor(limits: BackoffLimits) {
    this.#limits = limits
  }

  next(): number {
    this.#failures += 1
    return pauseAfter(this.#failures, this.#limits)
  }

  reset(): void {
    this.#failures = 0
  }
}
