import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { csvOf } from '../parts/csv.ts'

type Performance = Routes['GET /api/v1/dashboard/account-performance']['answers'][200]['data']
export type AccountPerformance = Performance['accounts'][number]
export type Period = Performance['period']
export type Balance =
  Routes['GET /api/v1/dashboard/balance-history']['answers'][200]['data']['points'][number]

export const PERIODS = {
  '1W': '1W',
  '1M': '1M',
  '3M': '3M',
  YTD: 'YTD',
  '1Y': '1Y',
  ALL: 'All',
} as const satisfies Record<Period, string>

export const performanceOf = (period: Period) => ['performance', period] as const

export function usePerformance(period: Period) {
  return useQuery({
    queryKey: performanceOf(period),
    queryFn: () => readPerformance(period),
    placeholderData: keepPreviousData,
  })
}

/** Daily closing balances of one account, or of all together. */
export const useBalances = (from: string | null | undefined, accountId?: string) =>
  useQuery({
    queryKey: ['balances', from ?? '', accountId ?? ''],
    queryFn: () => readBalances(from ?? null, accountId),
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
  })

export async function balancesCsv(period: Period, accountId?: string): Promise<string> {
  const { from } = await readPerformance(period)
  const { points } = await readBalances(from, accountId)
  return csvOf(points, 'date equity cashBalance carriedForward')
}

const readPerformance = (period: Period): Promise<Performance> =>
  dataOf('GET /api/v1/dashboard/account-performance', { query: { period } })

const readBalances = (from: string | null, accountId: string | undefined) =>
  dataOf('GET /api/v1/dashboard/balance-history', {
    query: { ...(from !== null && { from }), ...(accountId !== undefined && { accountId }) },
  })
