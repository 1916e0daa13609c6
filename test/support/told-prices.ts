import type { ReportedPrices } from '#domain/exit/acting-price.ts'
import type { Decimal } from '#domain/money/decimal.ts'

/** A trade at a price at which bid and ask stand as well. */
export function notifiedAt(price: Decimal, milliseconds: number): ReportedPrices {
  const at = new Date(milliseconds).toISOString()
  return { last: price, at, bid: price, ask: price, quotedAt: at }
}
