import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { money, number } from '../words/figures.ts'
import type { FigureName } from './words.ts'

type Usage = Routes['GET /api/v1/settings/risk-usage']['answers'][200]['data']['accounts'][number]

/** How much of the limits of an account is used; undefined until it is known. */
export function useUsage(accountId: string): Usage | undefined {
  return useQuery({
    queryKey: ['risk-usage'],
    queryFn: async () => (await dataOf('GET /api/v1/settings/risk-usage')).accounts,
  }).data?.find((usage) => usage.accountId === accountId)
}

/** What of the limits that count something is used; null where it is not known. */
const USED: { readonly [Name in FigureName]?: (usage: Usage) => string | null } = {
  maxOrdersPerMinute: ({ ordersThisMinute }) => `${number(ordersThisMinute)} in this minute`,
  maxOrdersPerDay: ({ ordersToday }) => `${number(ordersToday)} today`,
  maxDailyLoss: ({ lossToday }) => (lossToday === null ? null : `${money(lossToday)} today`),
  maxDailyLossPercent: ({ lossTodayPercent: lost }) => (lost === null ? null : `${lost.toFixed(2)} % today`),
  maxPositionShares: ({ mostShares }) => held(mostShares, number),
  maxPositionValue: ({ mostValue }) => held(mostValue, money),
}

/** What of a limit is used, such as "12 today". Null for a limit that bounds each order by itself, and where it is not known. */
export const usageWords = (limit: FigureName, usage: Usage | undefined): string | null =>
  usage === undefined ? null : (USED[limit]?.(usage) ?? null)

const held = (most: Usage['mostShares'], words: (amount: number) => string): string =>
  most === null ? 'no position' : `${words(most.amount)} in ${most.symbol}`
