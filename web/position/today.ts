import type { ListedPosition } from '../records/at-prices.ts'

type Held = Pick<ListedPosition, 'side' | 'quantity' | 'currentPrice' | 'dayReference'>

/** Notifies the price of a position; that of the last sync unless a newer one is known. */
type PriceOf<P extends Held> = (position: P) => number
const asSynced = ({ currentPrice }: Held): number => currentPrice

/** What a position has gained today, in dollars and in percent; null where the last close is not known. */
export function gainToday<P extends Held>(
  position: P,
  priceOf: PriceOf<P> = asSynced,
): { amount: number; rate: number | null } | null {
  const { side, quantity, dayReference: from } = position
  if (from === null) return null
  const gain = (priceOf(position) - from) * (side === 'LONG' ? 1 : -1)
  return { amount: gain * quantity, rate: from === 0 ? null : (gain / from) * 100 }
}

/** What positions have gained today together, in dollars; null when that is not known of one of them. */
export const totalToday = <P extends Held>(
  positions: readonly P[],
  priceOf: PriceOf<P> = asSynced,
): number | null =>
  positions.reduce<number | null>((sum, position) => {
    const gain = gainToday(position, priceOf)
    return sum === null || gain === null ? null : sum + gain.amount
  }, 0)

/** The change of equity today and its parts, in dollars. */
interface DayCheck {
  realised: number
  open: number
  /** What neither explains; zero below half a cent. */
  rest: number
  change: number
}

/** How the change of equity today comes about; null while a part of it is not known. */
export function dayCheck(realised: number, open: number | null, change: number | null): DayCheck | null {
  if (open === null || change === null) return null
  const rest = change - realised - open
  return { realised, open, rest: Math.abs(rest) < 0.005 ? 0 : rest, change }
}

/**
 * What the change of equity has that neither part explains.
 *
 * @param whole trades that were closed today and count since before today, because the last close is not known
 */
export const restWords = (whole: number): string =>
  `${whole === 0 ? '' : `gained before today by ${whole === 1 ? 'a trade' : `${whole} trades`} without a known last close, `}after-hours prices, fees, dividends, money paid in or out`
