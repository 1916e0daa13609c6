import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Order } from '#client/types.ts'
import { buttonClass } from '../parts/button.tsx'
import { CsvButton } from '../parts/csv-button.tsx'
import { Filters, type FilterChoice } from '../parts/filters.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { CancelSheet } from './cancel-sheet.tsx'
import { orderColumns } from './columns.tsx'
import { ordersCsv, useOrders } from './list.ts'
import type { OrdersSearch } from './search.ts'

const route = getRouteApi('/gate/shell/orders')

/** All orders, filtered by the address. */
export function OrdersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: OrdersSearch): void => void navigate({ search: next })
  const orders = useOrders(search)
  const accounts = useAccounts()
  const now = useNow()
  const [asked, setAsked] = useState<Order | undefined>()
  const isFiltered = Object.keys(search).some((name) => name !== 'page')
  return (
    <>
      <PageHead name="Orders">
        <CsvButton name="orders" read={(progress) => ordersCsv(search, progress)} />
        <Link to="/orders/new" search={{}} className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> New order
        </Link>
      </PageHead>
      <section aria-label="Orders" className="overflow-clip rounded-card border border-line bg-surface">
        <Filters search={search} change={change} choices={FILTERS} />
        <Paged
          query={orders}
          name="The orders"
          rowsOf={(page) => page.orders}
          page={search.page ?? 1}
          turnTo={(page) => change({ ...search, page })}
        >
          {(rows) => (
            <Table
              label="Orders"
              columns={orderColumns(accounts, now, setAsked)}
              rows={rows}
              keyOf={({ id }) => id}
              empty={
                isFiltered ? (
                  <Empty title="No order is like that">Show all, or look for other days.</Empty>
                ) : (
                  <Empty title="No orders yet">What signals and people order is listed here.</Empty>
                )
              }
            />
          )}
        </Paged>
      </section>
      <CancelSheet
        order={asked && (orders.data?.orders.find(({ id }) => id === asked.id) ?? asked)}
        account={asked && accounts.get(asked.accountId)}
        close={() => setAsked(undefined)}
      />
    </>
  )
}

const FILTERS: readonly FilterChoice<OrdersSearch>[] = [
  {
    name: 'status',
    label: 'Status',
    options: {
      '': 'all',
      OPEN: 'working',
      FILLED: 'filled',
      CANCELLED: 'cancelled',
      REJECTED: 'rejected',
      EXPIRED: 'expired',
    },
    className: 'desk:w-32',
  },
  {
    name: 'source',
    label: 'From',
    options: { '': 'all', signal: 'signals', manual: 'people' },
    className: 'desk:w-28',
  },
]
