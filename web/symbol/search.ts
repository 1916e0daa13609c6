import { oneOf } from '../parts/search.ts'

export const TIMEFRAMES = { '5m': '5 min', '1h': '1 h', '1d': '1 d' } as const
export type Timeframe = keyof typeof TIMEFRAMES

interface SymbolSearch {
  bars?: Timeframe
}

export const symbolSearch = (raw: Record<string, unknown>): SymbolSearch =>
  oneOf(raw, 'bars', Object.keys(TIMEFRAMES) as Timeframe[])
