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

/** Under which the performance of a period is kept. */
export const performanceOf = (period: Period) => ['performance', period] as const

/** How each account has done in a period. */
export function usePerformance(period: Period) {
  return useQuery({
    queryKey: performanceOf(period),
    queryFn: () => readPerformance(period),
    placeholderData: keepPreviousData,
  })
}

/** The balances with which days ended, of one account or of all together, from a day on. */
export const useBalances = (from: string | null | undefined, accountId?: string) =>
  useQuery({
    queryKey: ['balances', from ?? '', accountId ?? ''],
    queryFn: () => readBalances(from ?? null, accountId),
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
  })

/** The balances of a period, of one account or of all together, as comma-separated values. */
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
