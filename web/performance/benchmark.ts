import { useQuery } from '@tanstack/react-query'
import { DAY_MS } from '#domain/time/instants.ts'
import { dataOf } from '../connection/ask.ts'

/** Fund that represents the market: the S&P 500. */
export const BENCHMARK = 'SPY'

/** Daily closing prices, as far back as the service has bars. */
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
