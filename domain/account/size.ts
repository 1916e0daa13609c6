import { compare, isZero, multiply, negate, type Decimal } from '../money/decimal.ts'

export interface AccountSize {
  /** Multiplies the message's quantity; excludes `quantity`. */
  multiplier: Decimal | null
  /** Replaces the message's quantity, in its quantityType. */
  quantity: Decimal | null
}

export function sizedFor({ multiplier, quantity }: AccountSize, said: Decimal): Decimal {
  if (quantity === null) return multiplier === null ? said : multiply(said, multiplier)
  if (isZero(said)) return said
  return compare(said, '0') < 0 ? negate(quantity) : quantity
}
