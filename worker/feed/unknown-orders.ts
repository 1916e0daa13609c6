import { pauseAfter } from '#domain/backoff.ts'

/** Milliseconds until an order that the broker does not know is asked after again; doubles each time. */
const MIN_UNKNOWN_PAUSE_MS = 10_000
const MAX_UNKNOWN_PAUSE_MS = 900_000
/** A single miss may be a look-up that lags behind. */
const MISSES_THAT_COUNT = 2

/**
 * The orders of an account that its broker does not know any more. They are asked after less and less often, so that
 * they take no requests away from the others.
 */
export class UnknownOrders {
  readonly #missed = new Map<string, { misses: number; askAgainAt: number }>()

  /** @param now milliseconds since the epoch */
  isToBeAsked(clientOrderId: string, now: number): boolean {
    return now >= (this.#missed.get(clientOrderId)?.askAgainAt ?? 0)
  }

  /** The broker did not know the order. Tells whether that is more than a look-up that lags behind. */
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
