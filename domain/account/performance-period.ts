import { addDays, addMonths } from '../time/wall-time.ts'

export const PERFORMANCE_PERIODS = ['1W', '1M', '3M', 'YTD', '1Y', 'ALL'] as const
export type PerformancePeriod = (typeof PERFORMANCE_PERIODS)[number]

/** YYYY-MM-DD of the exchange: its closing equity is the base; later trades count. Null for ALL. */
export function periodBase(period: PerformancePeriod, today: string): string | null {
  switch (period) {
    case '1W':
      return addDays(today, -7)
    case '1M':
      return addMonths(today, -1)
    case '3M':
      return addMonths(today, -3)
    case 'YTD':
      return addDays(`${today.slice(0, 4)}-01-01`, -1)
    case '1Y':
      return addMonths(today, -12)
    case 'ALL':
      return null
  }
}

/** Highest, lowest and most fallen point of each part. */
export const CURVE_PARTS = 165

export const MAX_POINTS = CURVE_PARTS * 3 + 2
