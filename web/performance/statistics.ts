import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf, present } from '../connection/ask.ts'
import type { Period } from './data.ts'

export type Statistics = Routes['GET /api/v1/dashboard/trade-statistics']['answers'][200]['data']
export type Figures = Statistics['all']

export interface Which {
  period: Period
  account?: string | undefined
  strategy?: string | undefined
}

export function useStatistics({ period, account, strategy }: Which) {
  return useQuery({
    queryKey: ['statistics', period, account ?? '', strategy ?? ''],
    queryFn: () =>
      dataOf('GET /api/v1/dashboard/trade-statistics', {
        query: { period, ...present({ accountId: account, strategyId: strategy }) },
      }),
    placeholderData: keepPreviousData,
  })
}
