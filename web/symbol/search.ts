import { oneOf } from '../parts/search.ts'

/** Lengths of bars. */
export const TIMEFRAMES = { '5m': '5 min', '1h': '1 h', '1d': '1 d' } as const
export type Timeframe = keyof typeof TIMEFRAMES

/** What of a symbol is shown, as the address tells it. */
interface SymbolSearch {
  bars?: Timeframe
}

export const symbolSearch = (raw: Record<string, unknown>): SymbolSearch =>
  oneOf(raw, 'bars', Object.keys(TIMEFRAMES) as Timeframe[])
