import { add, compare, decimalPlaces, isPositive, round, subtract, type Decimal } from './decimal.ts'

/** Dollars between two valid prices (SEC rule 612). */
export const tickAt = (price: Decimal): Decimal => (compare(price, '1') >= 0 ? '0.01' : '0.0001')

export const isInTicks = (price: Decimal): boolean => decimalPlaces(price) <= decimalPlaces(tickAt(price))

/** Half a tick is rounded up. */
export const toNearestTick = (price: Decimal): Decimal => round(price, decimalPlaces(tickAt(price)))

export function toTick(price: Decimal, direction: 'up' | 'down'): Decimal {
  const tick = tickAt(price)
  const nearest = toNearestTick(price)
  const isBeyond = compare(nearest, price) === (direction === 'up' ? -1 : 1)
  if (!isBeyond) return nearest
  return direction === 'up' ? add(nearest, tick) : subtract(nearest, tick)
}

export function notInTicks(price: Decimal): string {
  const near = [toTick(price, 'down'), toTick(price, 'up')].filter(isPositive).join(' or ')
  return `must have at most 2 decimals, or 4 below a dollar: ${near}`
}
