import { isPositive, isZero, magnitude, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'

export interface HeldOrOnOrder {
  from: Decimal
  /** Only the sign of `from` is known: a signal is about to open the other side for an amount. */
  isBySide: boolean
}

export const sideOf = (shares: Decimal): 'LONG' | 'SHORT' | null => {
  if (isZero(shares)) return null
  return isPositive(shares) ? 'LONG' : 'SHORT'
}

export function heldInWords(symbol: string, { from, isBySide }: HeldOrOnOrder): string {
  const side = sideOf(from)
  if (side === null) return `nothing of ${symbol} is held or on order`
  const shares = isBySide ? `shares of ${symbol}` : `${figure(magnitude(from))} ${symbol}`
  return `${shares} are held or on order, ${side.toLowerCase()}`
}
