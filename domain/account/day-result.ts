import {
  add,
  compare,
  divideDown,
  isPositive,
  LEDGER_PLACES,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '../money/decimal.ts'
import { profit, type TradeSide } from '../money/profit.ts'

interface OpenedToday {
  quantity: Decimal
  /** Dollars with fees; for a short sale proceeds less fees. */
  value: Decimal
}

interface Shown {
  quantity: Decimal
  currentPrice: Decimal
  /** Dollars a share since the last close. */
  dayChange?: Decimal | null | undefined
}

/** Dollars a share: cost if opened today, else the last close; null if unknown. */
export function dayReference(
  { quantity, currentPrice, dayChange }: Shown,
  opened: OpenedToday,
): Decimal | null {
  const average = (value: Decimal, shares: Decimal): Decimal => divideDown(value, shares, LEDGER_PLACES)
  // The broker's position may lag.
  if (compare(opened.quantity, quantity) >= 0)
    return isPositive(opened.quantity) ? average(opened.value, opened.quantity) : null
  if (dayChange == null) return null
  const before = multiply(subtract(quantity, opened.quantity), subtract(currentPrice, dayChange))
  return average(add(before, opened.value), quantity)
}

export function dayGain(
  { side, quantity, currentPrice }: Pick<Shown, 'quantity' | 'currentPrice'> & { side: TradeSide },
  reference: Decimal,
): Decimal {
  const gain = multiply(subtract(currentPrice, reference), quantity)
  return side === 'LONG' ? gain : negate(gain)
}

export interface ClosedToday {
  side: TradeSide
  quantity: Decimal
  exitValue: Decimal
  /** Dollars of closing: opening was paid before today. */
  exitFees: Decimal
  realisedPnl: Decimal
  /** Dollars a share; null if unknown, or for shares opened today. */
  lastClose: Decimal | null
}

/** Dollars since the last close, or since the opening without one. */
export const realisedToday = ({
  side,
  quantity,
  exitValue,
  exitFees,
  realisedPnl,
  lastClose,
}: ClosedToday): Decimal =>
  lastClose === null
    ? realisedPnl
    : profit(side, { entryValue: multiply(quantity, lastClose), exitValue, fees: exitFees })
