import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Order, Routes } from '#client/types.ts'
import { DAY_MS } from '#domain/time/instants.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import type { Timeframe } from './search.ts'

export type Bar = Routes['GET /api/v1/market/bars']['answers'][200]['data']['bars'][number]

/** Days that the bars of each length reach back; an answer has at most 1,000 bars. */
const BARS_REACH_DAYS = { '5m': 5, '1h': 40, '1d': 400 } as const satisfies Record<Timeframe, number>
/** Milliseconds between two reads; the last bar changes with trades. */
const BARS_READ_EVERY_MS = 60_000

/** Bars of a symbol, oldest first. */
export const useBars = (symbol: string, timeframe: Timeframe) =>
  useQuery({
    queryKey: ['bars', symbol, timeframe],
    queryFn: async () => {
      const from = new Date(serviceNow() - BARS_REACH_DAYS[timeframe] * DAY_MS).toISOString()
      return await dataOf('GET /api/v1/market/bars', { query: { symbol, timeframe, from } })
    },
    refetchInterval: BARS_READ_EVERY_MS,
    retry: false,
  })

export const useAsset = (symbol: string) =>
  useQuery({
    queryKey: ['asset', symbol],
    queryFn: async () => (await dataOf('GET /api/v1/assets/{symbol}', { path: { symbol } })).asset,
    staleTime: DAY_MS,
    retry: false,
  })

export function useFills(symbol: string) {
  return useQuery({
    queryKey: ['orders', 'fills', symbol],
    queryFn: async () => {
      const { orders } = (await ask('GET /api/v1/orders', { query: { symbol, limit: 200 } })).body
      return orders.filter((order): order is Order & { filledAt: string } => order.filledAt !== null)
    },
    placeholderData: keepPreviousData,
  })
}
