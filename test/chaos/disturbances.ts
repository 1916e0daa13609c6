import { BrokerSite } from '#test/support/broker-site.ts'
import type { Evidence } from '#test/support/evidence.ts'
import type { Stack } from '#test/support/stack.ts'
import { FullStops } from './full-stops.ts'
import { HandSales } from './hand-sales.ts'
import { CLOCK_ERROR_MS, type MovedClocks } from './moved-clocks.ts'
import type { ChaosOptions } from './options.ts'
import { Random } from './random.ts'
import type { Recess } from './recess.ts'
import { Standstills } from './standstills.ts'

/**
 * What happens to a service beside the killing: processes stand still, people stop trading and sell at the broker's own site, and
 * clocks are set wrong.
 */
export class Disturbances {
  readonly #options: ChaosOptions
  readonly #fullStops: FullStops
  readonly #standstills: Standstills
  readonly #handSales: HandSales
  readonly #clocks: MovedClocks

  /** @param clocks of the service's processes, which were started with them */
  constructor(stack: Stack, options: ChaosOptions, clocks: MovedClocks, recess: Recess) {
    // Each its own, so that the choices of one do not depend on how often another came.
    const chance = (salt: number): Random => new Random(options.seed ^ salt)
    this.#options = options
    this.#clocks = clocks
    this.#fullStops = new FullStops(stack, chance(0xf5), recess)
    this.#standstills = new Standstills(stack, chance(0x57))
    this.#handSales = new HandSales(new BrokerSite(stack.addresses.venue, stack.venueKeys), chance(0x4a))
  }

  begin(): void {
    const { fullStopEveryMs, handSaleEveryMs, moveClockEveryMs } = this.#options
    this.#beginStandstills()
    if (fullStopEveryMs > 0) this.#fullStops.begin(fullStopEveryMs)
    if (handSaleEveryMs > 0) this.#handSales.begin(handSaleEveryMs)
    if (moveClockEveryMs > 0) this.#clocks.begin(moveClockEveryMs)
  }

  #beginStandstills(): void {
    const { standEveryMs, longestStandMs } = this.#options
    if (standEveryMs > 0) this.#standstills.begin(standEveryMs, longestStandMs)
  }

  /** Every process goes on while `work` is done. */
  async withoutStandstills<T>(work: () => Promise<T>): Promise<T> {
    await this.#standstills.end()
    try {
      return await work()
    } finally {
      this.#beginStandstills()
    }
  }

  /** Resolves when every process goes on, everything may trade, and the clocks are right. */
  async end(): Promise<void> {
    await this.#standstills.end()
    await Promise.all([this.#handSales.end(), this.#clocks.end(), this.#fullStops.end()])
  }

  /** When nobody could watch, because the API or PostgreSQL stood still. */
  get unwatched(): NonNullable<Evidence['unwatched']> {
    return this.#standstills.unwatched
  }

  /** How often each of it happened, by its name. */
  get counts(): Record<string, number> {
    const stood = Object.entries(this.#standstills.counts)
    return {
      ...Object.fromEntries(stood.map(([kind, count]) => [`${kind} stood still`, count])),
      'full stop': this.#fullStops.stops.length,
      'order at the site': this.#handSales.orders.length,
      'clock moved': this.#clocks.moves,
    }
  }

  /** Client order ids of what a person has placed at the broker's own site. */
  get atSite(): readonly string[] {
    return this.#handSales.orders
  }

  get evidence(): Pick<Evidence, 'fullStops' | 'clockErrorMs'> {
    return {
      fullStops: this.#fullStops.stops,
      clockErrorMs: this.#clocks.moves > 0 ? CLOCK_ERROR_MS : 0,
    }
  }
}
