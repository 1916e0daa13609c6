import { useQuery } from '@tanstack/react-query'
import { DAY_MS } from '#domain/time-units.ts'
import { dataOf } from '../connection/ask.ts'
import type { Balance } from './data.ts'

/** The fund that stands for the market: the S&P 500. */
export const BENCHMARK = 'SPY'

/** A value of the benchmark for each day of a curve, as if the equity of its first day had been put into it. */
export interface BenchmarkPoint {
  date: string
  value: number
}

/** Closing prices by day, as far back as bars are handed out; asked for only where it is wanted. */
export const useBenchmark = (from: string | undefined, isWanted: boolean) =>
  useQuery({
    queryKey: ['benchmark', from ?? ''],
    queryFn: () =>
      dataOf('GET /api/v1/market/bars', {
        query: { symbol: BENCHMARK, timeframe: '1d', from: new Date(`${from}T00:00Z`).toISOString() },
      }),
    enabled: isWanted && from !== undefined,
    staleTime: DAY_MS / 24,
    retry: false,
  })

/** The benchmark beside balances: from the first day that both have on, at the equity of that day. */
export function besides(
  points: readonly Balance[],
  bars: readonly { at: string; close: number }[],
): BenchmarkPoint[] {
  const closes = new Map(bars.map(({ at, close }) => [at.slice(0, 10), close]))
  const first = points.find(({ date }) => closes.has(date))
  if (!first) return []
  const share = first.equity / closes.get(first.date)!
  return points.flatMap(({ date }) => {
    const close = closes.get(date)
    return close === undefined ? [] : [{ date, value: close * share }]
  })
}
