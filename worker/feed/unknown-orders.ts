import { pauseAfter } from '#domain/backoff.ts'

const MIN_UNKNOWN_PAUSE_MS = 10_000
const MAX_UNKNOWN_PAUSE_MS = 900_000
/** One miss may be a lag. */
const MISSES_THAT_COUNT = 2

/** Orders that the broker does not know, asked for ever more rarely. */
export class UnknownOrders {
  readonly #missed = new Map<string, { misses: number; askAgainAt: number }>()

  /** @param now milliseconds since the epoch */
  isToBeAsked(clientOrderId: string, now: number): boolean {
    return now >= (this.#missed.get(clientOrderId)?.askAgainAt ?? 0)
  }

  /** True when it is more than a lag. */
  miss(clientOrderId: string, now: number): boolean {
    const misses = (this.#missed.get(clientOrderId)?.misses ?? 0) + 1
    const pause = pauseAfter(misses, { first: MIN_UNKNOWN_PAUSE_MS, most: MAX_UNKNOWN_PAUSE_MS })
    this.#missed.set(clientOrderId, { misses, askAgainAt: now + pause })
    return misses >= MISSES_THAT_COUNT
  }

  find(clientOrderId: string): void {
    this.#missed.delete(clientOrderId)
  }
}
