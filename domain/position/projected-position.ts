import { isPositive, isZero, magnitude, type Decimal, figure } from '../money/decimal.ts'

export interface ProjectedPosition {
  from: Decimal
  /** Only the sign of `from` is known, before an opening for an amount. */
  isBySide: boolean
  /** Only the shares that the signal manages. */
  isOwn?: true
}

export const sideOf = (shares: Decimal): 'LONG' | 'SHORT' | null => {
  if (isZero(shares)) return null
  return isPositive(shares) ? 'LONG' : 'SHORT'
}

export function heldInWords(symbol: string, { from, isBySide, isOwn }: ProjectedPosition): string {
  const side = sideOf(from)
  const own = isOwn ? 'its own ' : ''
  if (side === null) return `nothing of ${own}${symbol} is held or on order`
  const much = isBySide ? 'shares' : figure(magnitude(from))
  const shares = isBySide || isOwn ? `${much} of ${own}${symbol}` : `${much} ${symbol}`
  return `${shares} are held or on order, ${side.toLowerCase()}`
}
