import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Order } from '#client/types.ts'
import { buttonClass } from '../parts/button.tsx'
import { CsvButton } from '../parts/csv-button.tsx'
import { Select } from '../parts/field.tsx'
import { Filters } from '../parts/filters.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PAGE_ROWS, Pager } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { CancelSheet } from './cancel-sheet.tsx'
import { orderColumns } from './columns.tsx'
import { ordersCsv, useOrders } from './list.ts'
import type { OrdersSearch } from './search.ts'

const route = getRouteApi('/gate/shell/orders')

interface Props {
  search: OrdersSearch
  change: (search: OrdersSearch) => void
}

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
        <Filters search={search} change={change}>
          <OwnFilters search={search} change={change} />
        </Filters>
        <Loaded query={orders} name="The orders" rows={8}>
          {(page) => (
            <>
              {page.orders.length === 0 ? (
                <Empty title={isFiltered ? 'No order is like that' : 'No orders yet'}>
                  {isFiltered
                    ? 'Show all, or look for other days.'
                    : 'What signals and people order is listed here.'}
                </Empty>
              ) : (
                <Table
                  label="Orders"
                  columns={orderColumns(accounts, now, setAsked)}
                  rows={page.orders}
                  keyOf={({ id }) => id}
                />
              )}
              <Pager
                page={search.page ?? 1}
                total={page.total}
                totalIsExact={page.totalIsExact}
                hasMore={page.nextCursor !== null && page.orders.length === PAGE_ROWS}
                turnTo={(to) => change({ ...search, page: to })}
              />
            </>
          )}
        </Loaded>
      </section>
      <CancelSheet
        order={asked && (orders.data?.orders.find(({ id }) => id === asked.id) ?? asked)}
        account={asked && accounts.get(asked.accountId)}
        close={() => setAsked(undefined)}
      />
    </>
  )
}

const OwnFilters = ({ search, change }: Props) => {
  const { page: _page, status, source, ...rest } = search
  return (
    <>
      <Select
        label="Status"
        value={status ?? ''}
        options={[
          ['', 'all'],
          ['OPEN', 'working'],
          ['FILLED', 'filled'],
          ['CANCELLED', 'cancelled'],
          ['REJECTED', 'rejected'],
          ['EXPIRED', 'expired'],
        ]}
        choose={(value) =>
          change({ ...rest, ...(source && { source }), ...(value !== '' && { status: value }) })
        }
        className="desk:w-32"
      />
      <Select
        label="From"
        value={source ?? ''}
        options={[
          ['', 'all'],
          ['signal', 'signals'],
          ['manual', 'people'],
        ]}
        choose={(value) =>
          change({ ...rest, ...(status && { status }), ...(value !== '' && { source: value }) })
        }
        className="desk:w-28"
      />
    </>
  )
}
