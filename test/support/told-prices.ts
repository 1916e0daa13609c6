import type { ToldPrices } from '#domain/acting-price.ts'
import type { Decimal } from '#domain/decimal.ts'

/** A trade at a price at which bid and ask stand as well. */
export const toldAt = (price: Decimal, at: number): ToldPrices => ({
  last: { price, at },
  quote: { bid: price, ask: price, at },
})
