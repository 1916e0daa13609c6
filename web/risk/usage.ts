import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { money, number } from '../words/figures.ts'
import type { FigureName } from './words.ts'

type Usage = Routes['GET /api/v1/settings/risk-usage']['answers'][200]['data']['accounts'][number]

/** Used part of the limits; undefined until known. */
export function useUsage(accountId: string): Usage | undefined {
  return useQuery({
    queryKey: ['risk-usage'],
    queryFn: async () => (await dataOf('GET /api/v1/settings/risk-usage')).accounts,
  }).data?.find((usage) => usage.accountId === accountId)
}

/** Used part of limits that count; null where unknown. */
const USED: { readonly [Name in FigureName]?: (usage: Usage) => string | null } = {
  maxOrdersPerMinute: ({ ordersThisMinute }) => `${number(ordersThisMinute)} in this minute`,
  maxOrdersPerDay: ({ ordersToday }) => `${number(ordersToday)} today`,
  maxDailyLoss: ({ lossToday }) => (lossToday === null ? null : `${money(lossToday)} today`),
  maxDailyLossPercent: ({ lossTodayPercent: lost }) => (lost === null ? null : `${lost.toFixed(2)} % today`),
  maxPositionShares: ({ mostShares }) => held(mostShares, number),
  maxPositionValue: ({ mostValue }) => held(mostValue, money),
}

/** Used part of a limit, such as "12 today"; null for a limit of single orders, and where unknown. */
export const usageWords = (limit: FigureName, usage: Usage | undefined): string | null =>
  usage === undefined ? null : (USED[limit]?.(usage) ?? null)

const held = (most: Usage['mostShares'], words: (amount: number) => string): string =>
  most === null ? 'no position' : `${words(most.amount)} in ${most.symbol}`
