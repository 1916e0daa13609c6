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
} from './decimal.ts'
import { profit, type TradeSide } from './profit.ts'

/** Shares of a position that were opened today and are still held. */
interface OpenedToday {
  quantity: Decimal
  /** Dollars that they cost with the fees paid for them; of shares that were sold short, what they brought less these. */
  value: Decimal
}

/** A position as its broker shows it. */
interface Shown {
  quantity: Decimal
  /** Dollars a share. */
  currentPrice: Decimal
  /** Change of the price since the last close, dollars a share; null where the broker does not tell it. */
  dayChange?: Decimal | null | undefined
}

/**
 * Dollars a share from which a position's result of today counts, on average: of shares that were opened today what they cost,
 * of all others the last close. Null where that close is needed and not known.
 */
export function dayReference(
  { quantity, currentPrice, dayChange }: Shown,
  opened: OpenedToday,
): Decimal | null {
  const average = (value: Decimal, shares: Decimal): Decimal => divideDown(value, shares, LEDGER_PLACES)
  // The broker's position may be a moment older than the fills.
  if (compare(opened.quantity, quantity) >= 0)
    return isPositive(opened.quantity) ? average(opened.value, opened.quantity) : null
  if (dayChange == null) return null
  const before = multiply(subtract(quantity, opened.quantity), subtract(currentPrice, dayChange))
  return average(add(before, opened.value), quantity)
}

/** Dollars that a position has gained today; a short one gains when the price falls. */
export function dayGain(
  { side, quantity, currentPrice }: Pick<Shown, 'quantity' | 'currentPrice'> & { side: TradeSide },
  reference: Decimal,
): Decimal {
  const gain = multiply(subtract(currentPrice, reference), quantity)
  return side === 'LONG' ? gain : negate(gain)
}

/** Shares of one side that were closed today. */
export interface ClosedToday {
  side: TradeSide
  quantity: Decimal
  /** Dollars at which they were closed. */
  exitValue: Decimal
  /** Dollars charged for closing them: what opening them has cost was paid before today. */
  exitFees: Decimal
  /** Dollars that they have brought in all, after all fees. */
  realisedPnl: Decimal
  /** Of shares that were held then, dollars a share; null for others, and where it is not known. */
  lastClose: Decimal | null
}

/** Dollars that shares have brought today: since the last close where that is known, and otherwise since they were opened. */
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
