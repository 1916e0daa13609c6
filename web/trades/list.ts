import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf, present } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'
import { csvOf } from '../parts/csv.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import { instantOf, nextDay } from '../parts/search.ts'
import { serviceNow } from '../connection/clock.ts'
import { exchangeDay } from '../words/times.ts'
import { closedDays, sortOf, type TradesSearch } from './search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/trades']['request'][0]>['query']>

const filterOf = ({ account, symbol, status, side, strategy, from, to, closed }: TradesSearch) =>
  present({
    ...closedDays(closed, exchangeDay(serviceNow())),
    accountId: account,
    symbol,
    status,
    side,
    strategyId: strategy,
    from: from && instantOf(from),
    to: to && instantOf(nextDay(to)),
  })

const queryOf = (search: TradesSearch): Query => ({ ...filterOf(search), ...sortOf(search.sort) })

const read = (query: Query) => dataOf('GET /api/v1/trades', { query })

export function useTrades(search: TradesSearch) {
  return useQuery({
    queryKey: ['trades', 'list', search],
    queryFn: () =>
      read({ ...queryOf(search), limit: PAGE_ROWS, offset: ((search.page ?? 1) - 1) * PAGE_ROWS }),
    placeholderData: keepPreviousData,
  })
}

export const useTotals = (search: TradesSearch) => {
  const query = filterOf(search)
  return useQuery({
    queryKey: ['trades', 'totals', query],
    queryFn: () => dataOf('GET /api/v1/trades/totals', { query }),
    placeholderData: keepPreviousData,
  })
}

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
