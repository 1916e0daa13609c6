import type { Decimal } from '#domain/money/decimal.ts'
import { alpacaAsset } from '#test/brokers/alpaca-answers.ts'

/** The prices of a symbol as they are told; instants are milliseconds since the epoch, now by default. */
export interface Prices {
  last: Decimal
  lastAt?: number
  bid: Decimal
  ask: Decimal
}

const USUAL: Prices = { last: '100', bid: '99.99', ask: '100.01' }

/** Prices and assets as one account is told of them. */
export class Market {
  readonly #prices = new Map<string, Prices>()

  /** A symbol trades at a price, and a cent around it. */
  set(symbol: string, price: number, changes: Partial<Prices> = {}): void {
    const last: Decimal = `${price}`
    this.#prices.set(symbol, { last, bid: `${price - 0.01}`, ask: `${price + 0.01}`, ...changes })
  }

  of(symbol: string): Prices {
    return this.#prices.get(symbol) ?? USUAL
  }

  asset(symbol: string): Record<string, unknown> & { class: string } {
    return alpacaAsset({ symbol, name: `${symbol} Inc.` })
  }
}

/** Prices as the market data API writes them. */
export const wirePrices = (prices: Prices, now: number) => {
  const t = new Date(now).toISOString()
  const lastAt = new Date(prices.lastAt ?? now).toISOString()
  return {
    latestTrade: { t: lastAt, p: Number(prices.last), s: 100, x: 'V' },
    latestQuote: { t, bp: Number(prices.bid), bs: 1, ap: Number(prices.ask), as: 1 },
    prevDailyBar: { t, c: Number(prices.last) },
  }
}
