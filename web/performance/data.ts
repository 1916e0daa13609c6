import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useFresh } from '../connection/fresh.ts'

export type Performance = Routes['GET /api/v1/dashboard/account-performance']['answers'][200]['data']
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

/** How each account has done in a period. */
export function usePerformance(period: Period) {
  useFresh(['trade', 'account'], ['performance'])
  return useQuery({
    queryKey: ['performance', period],
    queryFn: async () =>
      (await ask('GET /api/v1/dashboard/account-performance', { query: { period } })).body.data,
    placeholderData: keepPreviousData,
  })
}

/** The balances with which days ended, of one account or of all together, from a day on. */
export const useBalances = (from: string | null | undefined, accountId?: string) =>
  useQuery({
    queryKey: ['balances', from ?? '', accountId ?? ''],
    queryFn: async () =>
      (
        await ask('GET /api/v1/dashboard/balance-history', {
          query: { ...(from != null && { from }), ...(accountId !== undefined && { accountId }) },
        })
      ).body.data,
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
  })
