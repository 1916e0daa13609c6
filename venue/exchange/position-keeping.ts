import { add, compare, divideDown, isZero, magnitude, multiply, type Decimal } from '#domain/decimal.ts'

/** Decimals kept of an average entry price. */
const AVERAGE_COST_PLACES = 10

/** A signed number of shares and what each cost on average, in dollars. */
export interface Holding {
  qty: Decimal
  avgEntryPrice: Decimal
}

/**
 * A holding after shares were bought (positive) or sold (negative) at a price; null when that leaves none.
 * Adding moves the average, taking away keeps it, and what goes through zero starts again at the price.
 */
export function holdingAfter(before: Holding | null, signedQty: Decimal, price: Decimal): Holding | null {
  if (!before) return { qty: signedQty, avgEntryPrice: price }
  const qty = add(before.qty, signedQty)
  if (isZero(qty)) return null
  const isAdding = compare(before.qty, '0') === compare(signedQty, '0')
  if (isAdding) {
    const cost = add(multiply(before.qty, before.avgEntryPrice), multiply(signedQty, price))
    return { qty, avgEntryPrice: divideDown(magnitude(cost), magnitude(qty), AVERAGE_COST_PLACES) }
  }
  const goesThroughZero = compare(qty, '0') !== compare(before.qty, '0')
  return { qty, avgEntryPrice: goesThroughZero ? price : before.avgEntryPrice }
}
