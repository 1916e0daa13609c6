import type { ListedPosition } from '../records/at-prices.ts'

type Held = Pick<ListedPosition, 'side' | 'quantity' | 'currentPrice' | 'dayReference'>

/** The price of a position: that of the last sync unless a newer one is known. */
type PriceOf<P extends Held> = (position: P) => number
const asSynced = ({ currentPrice }: Held): number => currentPrice

/** Gain of a position today, in dollars and in percent; null without a known last close. */
export function gainToday<P extends Held>(
  position: P,
  priceOf: PriceOf<P> = asSynced,
): { amount: number; rate: number | null } | null {
  const { side, quantity, dayReference: from } = position
  if (from === null) return null
  const gain = (priceOf(position) - from) * (side === 'LONG' ? 1 : -1)
  return { amount: gain * quantity, rate: from === 0 ? null : (gain / from) * 100 }
}

/** Dollars that positions have gained today together; null if one gain is unknown. */
export const totalToday = <P extends Held>(
  positions: readonly P[],
  priceOf: PriceOf<P> = asSynced,
): number | null =>
  positions.reduce<number | null>((sum, position) => {
    const gain = gainToday(position, priceOf)
    return sum === null || gain === null ? null : sum + gain.amount
  }, 0)

/** Change of equity today and its parts, in dollars. */
interface DayCheck {
  realised: number
  open: number
  /** Change that neither part explains; zero below half a cent. */
  rest: number
  change: number
}

/** Parts of today's change of equity; null while one is unknown. */
export function dayCheck(realised: number, open: number | null, change: number | null): DayCheck | null {
  if (open === null || change === null) return null
  const rest = change - realised - open
  return { realised, open, rest: Math.abs(rest) < 0.005 ? 0 : rest, change }
}

/**
 * Words for the change of equity that neither part explains.
 *
 * @param whole trades closed today that count since before today, because their last close is unknown
 */
export const restWords = (whole: number): string =>
  `${whole === 0 ? '' : `gained before today by ${whole === 1 ? 'a trade' : `${whole} trades`} without a known last close, `}after-hours prices, fees, dividends, money paid in or out`
