import { isPositive, isZero, magnitude, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'

/** The position once all orders of signals that enter or close have filled. */
export interface HeldOrOnOrder {
  /** Shares, negative for a short position. */
  from: Decimal
  /** Only the sign of `from` is known: a signal is about to open the other side for an amount. */
  isBySide: boolean
}

export const sideOf = (shares: Decimal): 'LONG' | 'SHORT' | null => {
  if (isZero(shares)) return null
  return isPositive(shares) ? 'LONG' : 'SHORT'
}

/** "nothing of AAPL is held or on order", "10 AAPL are held or on order, long". */
export function heldInWords(symbol: string, { from, isBySide }: HeldOrOnOrder): string {
  const side = sideOf(from)
  if (side === null) return `nothing of ${symbol} is held or on order`
  const shares = isBySide ? `shares of ${symbol}` : `${figure(magnitude(from))} ${symbol}`
  return `${shares} are held or on order, ${side.toLowerCase()}`
}
