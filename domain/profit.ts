import { divideDown, isZero, multiply, negate, subtract, type Decimal } from './decimal.ts'

/** Decimals kept of a percentage. */
export const PERCENT_PLACES = 6

export const TRADE_SIDES = ['LONG', 'SHORT'] as const
/** LONG was bought first, SHORT was sold first. */
export type TradeSide = (typeof TRADE_SIDES)[number]

/** The profit after fees of a trade that is closed at a price, or valued at it; dollars. */
export function profit(
  side: TradeSide,
  { entryValue, exitValue, fees }: { entryValue: Decimal; exitValue: Decimal; fees: Decimal },
): Decimal {
  const gain = subtract(exitValue, entryValue)
  return subtract(side === 'LONG' ? gain : negate(gain), fees)
}

/** Percent of what the entry was worth; null when that was nothing. */
export const percentOfEntry = (pnl: Decimal, entryValue: Decimal): Decimal | null =>
  isZero(entryValue) ? null : divideDown(multiply(pnl, '100'), entryValue, PERCENT_PLACES)
