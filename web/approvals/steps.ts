import { add, decimal, divideDown, isDecimal, isPositive, multiply, subtract } from '#domain/money/decimal.ts'
import { tickAt } from '#domain/money/price-tick.ts'

/**
 * Text after a step up or down: one share, or one tick of the price. A value between two steps goes to the next one;
 * null where the text is no number, or the result would not be above zero.
 */
export function stepped(field: 'quantity' | 'limitPrice', text: string, isUp: boolean): string | null {
  if (!isDecimal(text)) return null
  const value = decimal(text)
  const step = field === 'quantity' ? '1' : tickAt(value)
  const below = multiply(divideDown(value, step, 0), step)
  const next = isUp ? add(below, step) : below === value ? subtract(value, step) : below
  return isPositive(next) ? next : null
}
