import { readClockOffset } from '#brokers/clock-offset.ts'
import type { Broker } from '#brokers/port.ts'

/** How long a measured difference is planned by, in milliseconds. */
const MEASURED_WITHIN = 60_000

/** By how much the clocks of brokers differ from that of this process. */
export class BrokerClocks {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  readonly #known = new Map<string, { offset: number; measuredAt: number }>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /**
   * Milliseconds by which the clock of the account's broker is ahead of that of this process. Where it cannot be asked, the last
   * difference that is known, or null: an exit does not wait for a clock.
   */
  async offsetOf(accountId: string): Promise<number | null> {
    const known = this.#known.get(accountId)
    if (known && this.#now() - known.measuredAt < MEASURED_WITHIN) return known.offset
    try {
      const offset = await readClockOffset(await this.#brokerFor(accountId), this.#now)
      if (this.#known.size >= 1_000) this.#known.clear()
      this.#known.set(accountId, { offset, measuredAt: this.#now() })
      return offset
    } catch {
      // The feed measures the clock too, and tells of brokers that do not answer.
      return known?.offset ?? null
    }
  }
}
