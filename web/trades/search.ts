import type { Routes } from '#client/types.ts'
import { partsOf } from '../parts/sorting.ts'
import { oneOf, pageOf, textOf, type ListSearch } from '../parts/search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/trades']['request'][0]>['query']>

export interface TradesSearch extends ListSearch {
  status?: NonNullable<Query['status']>
  side?: NonNullable<Query['side']>
  strategy?: string
  /** Close in days of the exchange: a name of {@link CLOSED_IN}, or a day, YYYY-MM-DD. */
  closed?: string
  /** A name of {@link SORTS}. */
  sort?: keyof typeof SORTS
}

export const CLOSED_IN = { '': 'all', today: 'today', week: 'this week', month: 'this month' } as const

/** Sorts of trades; the last one entered comes first if absent. */
export const SORTS = {
  'entryAt.asc': 'oldest first',
  'exitAt.desc': 'closed last',
  'exitAt.asc': 'closed first',
  'realisedPnl.desc': 'best result',
  'realisedPnl.asc': 'worst result',
  'realisedPnlPercent.desc': 'best %',
  'realisedPnlPercent.asc': 'worst %',
  'symbol.asc': 'symbol A to Z',
  'symbol.desc': 'symbol Z to A',
} as const

type SortQuery = Pick<Query, 'sort' | 'direction'>
export const sortOf = (sort: TradesSearch['sort']): SortQuery => {
  const { by, direction } = partsOf(sort ?? 'entryAt.desc')
  return { sort: by, direction } as SortQuery
}

/** Days of the exchange, both included. */
export function closedDays(
  closed: string | undefined,
  today: string,
): { closedFrom?: string; closedTo?: string } {
  switch (closed) {
    case undefined:
      return {}
    case 'today':
      return { closedFrom: today }
    case 'week': {
      const at = new Date(`${today}T12:00Z`)
      at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
      return { closedFrom: at.toISOString().slice(0, 10) }
    }
    case 'month':
      return { closedFrom: `${today.slice(0, 7)}-01` }
    default:
      return { closedFrom: closed, closedTo: closed }
  }
}

export const tradesSearch = (raw: Record<string, unknown>): TradesSearch => ({
  ...pageOf(raw),
  ...textOf(raw, 'account', 'symbol', 'from', 'to', 'strategy', 'closed'),
  ...oneOf(raw, 'sort', Object.keys(SORTS) as (keyof typeof SORTS)[]),
  ...oneOf(raw, 'status', ['OPEN', 'CLOSED'] as const),
  ...oneOf(raw, 'side', ['LONG', 'SHORT'] as const),
})
