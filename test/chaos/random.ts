/** Random choices that a seed decides, so that a run can be repeated (SplitMix32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 up to and without 1. */
  fraction(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let bits = this.#state
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!
  }

  /** One of the items, each as often as its weight says. */
  weighted<T>(items: readonly { weight: number; item: T }[]): T {
    let point = this.fraction() * items.reduce((sum, { weight }) => sum + weight, 0)
    for (const { weight, item } of items) {
      point -= weight
      if (point < 0) return item
    }
    return items.at(-1)!.item
  }
}
