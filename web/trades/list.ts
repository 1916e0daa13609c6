import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf, present } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'
import { useFresh } from '../connection/fresh.ts'
import { csvOf } from '../parts/csv.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import { instantOf, nextDay } from '../parts/search.ts'
import type { TradesSearch } from './search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/trades']['request'][0]>['query']>

const queryOf = ({ account, symbol, status, side, strategy, from, to }: TradesSearch): Query =>
  present({
    accountId: account,
    symbol,
    status,
    side,
    strategyId: strategy,
    from: from && instantOf(from),
    to: to && instantOf(nextDay(to)),
  })

const read = (query: Query) => dataOf('GET /api/v1/trades', { query })

/** One page of round trips, kept up to date by the stream. */
export function useTrades(search: TradesSearch) {
  useFresh(['trade'], ['trades'])
  return useQuery({
    queryKey: ['trades', 'list', search],
    queryFn: () =>
      read({ ...queryOf(search), limit: PAGE_ROWS, offset: ((search.page ?? 1) - 1) * PAGE_ROWS }),
    placeholderData: keepPreviousData,
  })
}

/** The whole list, as it is filtered, as comma-separated values. */
export async function tradesCsv(
  search: TradesSearch,
  progress: (rows: number, total: number) => void,
): Promise<string> {
  const trades = await everyPage(
    (place) => read({ ...queryOf(search), ...place }),
    (page) => page.trades,
    { progress },
  )
  return csvOf(
    trades,
    'id accountId symbol side status quantity entryPrice exitPrice entryAt exitAt realisedPnl realisedPnlPercent fees strategyId signalId',
  )
}
