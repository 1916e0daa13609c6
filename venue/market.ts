import type { Decimal } from '#domain/money/decimal.ts'
import { barsOf } from './bars.ts'
import type { Ledger } from './ledger/database.ts'
import type { MarketHours } from './market-hours.ts'
import { quoteAt, type Quote } from './prices.ts'

export class Market {
  readonly #seed: number
  readonly #pinned: Map<string, Decimal>
  readonly #pin
  readonly #unpin

  constructor({ database }: Ledger, seed: number) {
    this.#seed = seed
    const rows = database.prepare('SELECT symbol, price FROM pinnedPrices').all() as {
      symbol: string
      price: Decimal
    }[]
    this.#pinned = new Map(rows.map(({ symbol, price }) => [symbol, price]))
    this.#pin = database.prepare(
      'INSERT INTO pinnedPrices (symbol, price) VALUES (?, ?) ON CONFLICT DO UPDATE SET price = excluded.price',
    )
    this.#unpin = database.prepare('DELETE FROM pinnedPrices WHERE symbol = ?')
  }

  /** A pinned price counts on both sides, so that a test knows every fill. */
  quote(symbol: string, instant: number): Quote {
    const pinned = this.#pinned.get(symbol)
    if (pinned !== undefined) return { bid: pinned, ask: pinned, last: pinned }
    return quoteAt(this.#seed, symbol, instant)
  }

  bars(hours: MarketHours, query: Parameters<typeof barsOf>[1]): ReturnType<typeof barsOf> {
    return barsOf({ seed: this.#seed, hours }, query)
  }

  /** Dollars a share, until it is unpinned, also across restarts. */
  pin(symbol: string, price: Decimal): void {
    this.#pin.run(symbol, price)
    this.#pinned.set(symbol, price)
  }

  unpin(symbol: string): void {
    this.#unpin.run(symbol)
    this.#pinned.delete(symbol)
  }

  pinnedPrices(): { symbol: string; price: Decimal }[] {
    return [...this.#pinned].map(([symbol, price]) => ({ symbol, price }))
  }
}
