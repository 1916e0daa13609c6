import { readClockOffset } from '#brokers/clock-offset.ts'
import type { Broker } from '#brokers/port.ts'

/** Milliseconds. */
const MEASURED_WITHIN = 60_000

export class BrokerClocks {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  /** `setTo`: our clock then, less a clock that is never set. */
  readonly #known = new Map<string, { offset: number; measuredAt: number; setTo: number }>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /** Milliseconds ahead. Without an answer the last known, or null: an exit does not wait for a clock. */
  async offsetOf(accountId: string): Promise<number | null> {
    const known = this.#known.get(accountId)
    // Our own clock may have been set since: the difference has changed by as much.
    const setTo = this.#now() - performance.now()
    const sinceThen = known ? Math.round(known.offset + known.setTo - setTo) : null
    if (known && this.#now() - known.measuredAt < MEASURED_WITHIN) return sinceThen
    try {
      const offset = await readClockOffset(await this.#brokerFor(accountId), this.#now)
      if (this.#known.size >= 1_000) this.#known.clear()
      const measuredAt = this.#now()
      this.#known.set(accountId, { offset, measuredAt, setTo: measuredAt - performance.now() })
      return offset
    } catch {
      // The feed measures the clock too, and reports brokers that do not answer.
      return sinceThen
    }
  }
}
