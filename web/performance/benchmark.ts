import { useQuery } from '@tanstack/react-query'
import { DAY_MS } from '#domain/time/instants.ts'
import { dataOf } from '../connection/ask.ts'

/** The fund that stands for the market: the S&P 500. */
export const BENCHMARK = 'SPY'

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
