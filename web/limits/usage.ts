import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useFresh } from '../connection/fresh.ts'
import { money, number } from '../words/figures.ts'
import type { FigureName } from './words.ts'

export type Usage = Routes['GET /api/v1/settings/risk-usage']['answers'][200]['data']['accounts'][number]

/** How much of the limits of an account is used; undefined until it is known. */
export function useUsage(accountId: string): Usage | undefined {
  useFresh(['order', 'account'], ['risk-usage'])
  return useQuery({
    queryKey: ['risk-usage'],
    queryFn: async () => (await dataOf('GET /api/v1/settings/risk-usage')).accounts,
  }).data?.find((usage) => usage.accountId === accountId)
}

/** What of a limit is used: "12 today". Null for a limit that bounds each order by itself, and where it is not known. */
export function usageWords(limit: FigureName, usage: Usage | undefined): string | null {
  if (usage === undefined) return null
  switch (limit) {
    case 'maxOrdersPerMinute':
      return `${number(usage.ordersThisMinute)} in this minute`
    case 'maxOrdersPerDay':
      return `${number(usage.ordersToday)} today`
    case 'maxDailyLoss':
      return usage.lossToday === null ? null : `${money(usage.lossToday)} today`
    case 'maxDailyLossPercent':
      return usage.lossTodayPercent === null ? null : `${usage.lossTodayPercent.toFixed(2)} % today`
    case 'maxPositionShares':
      return held(usage.mostShares, number)
    case 'maxPositionValue':
      return held(usage.mostValue, money)
    default:
      return null
  }
}

const held = (most: Usage['mostShares'], words: (amount: number) => string): string =>
  most === null ? 'nothing is held' : `${words(most.amount)} in ${most.symbol}`
