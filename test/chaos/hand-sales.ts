import type { BrokerSite } from '#test/support/broker-site.ts'
import { stillKilling } from './killing.ts'
import type { Random } from './random.ts'
import { SHARED } from './wishes.ts'

/** The most shares that are sold at once. */
const MOST = 8

/**
 * A person who sells shares of signals at the broker's own site, or buys short ones back: in the symbols that many signals
 * share, never more than no order holds.
 */
export class HandSales {
  /** Client order ids of all orders that may be at the broker. */
  readonly orders: string[] = []
  readonly #site: BrokerSite
  readonly #random: Random
  readonly #calm = new AbortController()
  #selling: Promise<void> = Promise.resolve()

  constructor(site: BrokerSite, random: Random) {
    this.#site = site
    this.#random = random
  }

  /** Begins, so many milliseconds apart on average. */
  begin(everyMs: number): void {
    this.#selling = this.#sellEvery(everyMs)
    // Thrown where its end is waited for.
    this.#selling.catch(() => {})
  }

  async end(): Promise<void> {
    this.#calm.abort()
    await this.#selling
  }

  async #sellEvery(everyMs: number): Promise<void> {
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction()))) {
      const [symbol, most] = [this.#random.pick(SHARED), this.#random.between(1, MOST)]
      try {
        await this.#sell(symbol, most)
      } catch {
        // The site does not answer; the order may be there or not.
      }
    }
  }

  async #sell(symbol: string, most: number): Promise<void> {
    const positions = await this.#site.positions()
    const position = positions.find((each) => each.symbol === symbol)
    const quantity = Math.min(most, Math.abs(Number(position?.qty_available ?? 0)))
    if (!position || quantity < 1) return
    const isLong = Number(position.qty) > 0
    const client_order_id = `at-the-site-${this.orders.length + 1}`
    this.orders.push(client_order_id)
    await this.#site.place({
      client_order_id,
      symbol,
      side: isLong ? 'sell' : 'buy',
      position_intent: isLong ? 'sell_to_close' : 'buy_to_close',
      qty: `${quantity}`,
      type: 'market',
      time_in_force: 'day',
    })
  }
}
