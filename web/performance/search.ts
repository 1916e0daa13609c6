import { oneOf, textOf } from '../parts/search.ts'

const PERIOD_NAMES = ['1W', '1M', '3M', 'YTD', '1Y', 'ALL'] as const

export interface PerformanceSearch {
  period?: (typeof PERIOD_NAMES)[number]
  account?: string
}

export const performanceSearch = (raw: Record<string, unknown>): PerformanceSearch => ({
  ...oneOf(raw, 'period', PERIOD_NAMES),
  ...textOf(raw, 'account'),
})
