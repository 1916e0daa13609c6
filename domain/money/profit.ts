import { divideDown, isZero, multiply, negate, subtract, type Decimal } from './decimal.ts'

export const PERCENT_PLACES = 6

export const TRADE_SIDES = ['LONG', 'SHORT'] as const
export type TradeSide = (typeof TRADE_SIDES)[number]

/** A trade's dollars after fees. */
export function profit(
  side: TradeSide,
  { entryValue, exitValue, fees }: { entryValue: Decimal; exitValue: Decimal; fees: Decimal },
): Decimal {
  const gain = subtract(exitValue, entryValue)
  return subtract(side === 'LONG' ? gain : negate(gain), fees)
}

export const percentOfEntry = (pnl: Decimal, entryValue: Decimal): Decimal | null =>
  isZero(entryValue) ? null : divideDown(multiply(pnl, '100'), entryValue, PERCENT_PLACES)
