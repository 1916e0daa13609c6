import { compare, isZero, multiply, negate, type Decimal } from '../money/decimal.ts'

export interface AccountSize {
  /** Times the message's quantity; not together with `quantity`. */
  multiplier: Decimal | null
  /** In the message's quantityType; replaces its quantity. */
  quantity: Decimal | null
}

export function sizedFor({ multiplier, quantity }: AccountSize, said: Decimal): Decimal {
  if (quantity === null) return multiplier === null ? said : multiply(said, multiplier)
  if (isZero(said)) return said
  return compare(said, '0') < 0 ? negate(quantity) : quantity
}
