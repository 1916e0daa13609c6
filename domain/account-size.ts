import { compare, isZero, multiply, negate, type Decimal } from './decimal.ts'

/** How much of a message an account trades. */
export interface AccountSize {
  /** Times the quantity of the message; null for once. Not together with `quantity`. */
  multiplier: Decimal | null
  /** In the place of the quantity of the message, in its quantityType; null for that one. */
  quantity: Decimal | null
}

/** A quantity, or a position below 0 or above, as it is for an account; no position stays none. */
export function sizedFor({ multiplier, quantity }: AccountSize, said: Decimal): Decimal {
  if (quantity === null) return multiplier === null ? said : multiply(said, multiplier)
  if (isZero(said)) return said
  return compare(said, '0') < 0 ? negate(quantity) : quantity
}
