import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { ask, present } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'
import { csvOf } from '../parts/csv.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import { instantOf, nextDay } from '../parts/search.ts'
import type { OrdersSearch } from './search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/orders']['request'][0]>['query']>

const queryOf = ({ account, symbol, status, source, from, to }: OrdersSearch): Query =>
  present({
    accountId: account,
    symbol,
    status,
    source,
    from: from && instantOf(from),
    to: to && instantOf(nextDay(to)),
  })

const read = async (query: Query) => (await ask('GET /api/v1/orders', { query })).body

export function useOrders(search: OrdersSearch) {
  return useQuery({
    queryKey: ['orders', 'list', search],
    queryFn: () =>
      read({ ...queryOf(search), limit: PAGE_ROWS, offset: ((search.page ?? 1) - 1) * PAGE_ROWS }),
    placeholderData: keepPreviousData,
  })
}

export function useWorkingOrders(symbol?: string) {
  return useQuery({
    queryKey: ['orders', 'working', symbol ?? ''],
    queryFn: () =>
      everyPage(
        (place) =>
          read({
            status: 'OPEN',
            ...present({ symbol }),
            ...place,
          }),
        ({ orders }) => orders,
        { most: 5_000 },
      ),
  })
}

export async function ordersCsv(
  search: OrdersSearch,
  progress: (rows: number, total: number) => void,
): Promise<string> {
  const orders = await everyPage(
    (place) => read({ ...queryOf(search), ...place }),
    (page) => page.orders,
    { progress },
  )
  return csvOf(
    orders,
    'id createdAt accountId symbol side orderType quantity limitPrice stopPrice stopLimitPrice timeInForce status filledQuantity avgFillPrice filledAt role signalId brokerOrderId',
  )
}
