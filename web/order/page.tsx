import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Order } from '#client/types.ts'
import { isWorking } from '#domain/order/order.ts'
import { useAccountColumn } from '../parts/account.tsx'
import { buttonClass, Button } from '../parts/button.tsx'
import { CsvButton } from '../parts/csv-button.tsx'
import { Direction } from '../parts/direction.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { Filters, type FilterChoice } from '../parts/filters.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { Chip } from '../parts/panel.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'
import { sortingBy } from '../parts/sorting.ts'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { money, number } from '../words/figures.ts'
import {
  isBuying,
  lifetimeOf,
  priceWords,
  roleWords,
  sideWord,
  statusKind,
  STATUSES,
} from '../words/order.ts'
import { present } from '../connection/ask.ts'
import { CancelAllSheet } from './cancel-all-sheet.tsx'
import { CancelSheet } from './cancel-sheet.tsx'
import { ordersCsv, useOrders, useWorkingOrders } from './list.ts'
import { SORTS, type OrdersSearch } from './search.ts'
import { sortedOrders, USUAL_SORT } from './sort.ts'

const route = getRouteApi('/gate/shell/orders')

export function OrdersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: OrdersSearch): void => void navigate({ search: next })
  const { sort, ...filter } = search
  const orders = useOrders(filter)
  // The service sorts only by time, and one page of several cannot be sorted as the whole.
  const isWhole = orders.data !== undefined && orders.data.total === orders.data.orders.length
  const accounts = useAccounts()
  const ofAccount = useAccountColumn<Order>()
  const now = useNow()
  const [asked, setAsked] = useState<Order | undefined>()
  const { account: accountId } = search
  const working = (useWorkingOrders(search.symbol).data ?? []).filter(
    (order) => accountId === undefined || order.accountId === accountId,
  )
  // Orders of one symbol or of all can be cancelled, but not of symbols with the same beginning.
  const [symbol, ...others] = new Set(working.map((order) => order.symbol))
  const mayCancelAll = symbol !== undefined && (search.symbol === undefined || others.length === 0)
  const [cancelled, setCancelled] = useState<{ accountId?: string; symbol?: string }>()
  const isFiltered = Object.keys(filter).some((name) => name !== 'page')
  return (
    <>
      <PageHead name="Orders">
        {mayCancelAll && (
          <Button
            kind="danger"
            onClick={() => setCancelled(present({ accountId, symbol: search.symbol && symbol }))}
          >
            Cancel all…
          </Button>
        )}
        <CsvButton name="orders" read={(progress) => ordersCsv(filter, progress)} />
        <Link to="/orders/new" search={{}} className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> New order
        </Link>
      </PageHead>
      <section aria-label="Orders" className="overflow-clip rounded-card border border-line bg-surface">
        <Filters search={search} change={change} choices={isWhole ? [...FILTERS, SORT] : FILTERS} />
        <Paged
          query={orders}
          name="The orders"
          rowsOf={(page) => page.orders}
          page={search.page ?? 1}
          first={isWhole && sort !== undefined ? 'sorted' : 'newest'}
          turnTo={(page) => change({ ...search, page })}
        >
          {(rows) => (
            <Table
              label="Orders"
              columns={orderColumns(now, ofAccount, setAsked)}
              rows={isWhole ? sortedOrders(rows, sort) : rows}
              keyOf={({ id }) => id}
              {...(isWhole && { sorting: sortingBy(search, SORTS, USUAL_SORT, change) })}
              empty={
                isFiltered ? (
                  <Empty title="No matching orders">Show all, or choose other days.</Empty>
                ) : (
                  <Empty title="No orders yet">Orders from signals and manual orders appear here.</Empty>
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
      {cancelled && (
        <CancelAllSheet
          orders={working}
          part={cancelled}
          account={accounts.get(accountId ?? working[0]?.accountId ?? '') ?? Array.from(accounts.values())[0]}
          close={() => setCancelled(undefined)}
        />
      )}
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

const SORT: FilterChoice<OrdersSearch> = {
  name: 'sort',
  label: 'Sort',
  options: { '': 'newest first', ...SORTS },
  // The desk sorts by the heads of the columns.
  className: 'desk:hidden',
}

const orderColumns = (
  now: number,
  ofAccount: readonly Column<Order>[],
  cancel: (order: Order) => void,
): Column<Order>[] => [
  {
    name: 'Order',
    place: 'first',
    sortName: 'symbol',
    of: (order) => (
      <span className="flex items-center gap-2">
        <Direction isBuy={isBuying(order)} />
        <span>
          <Link
            to="/orders/$order"
            params={{ order: order.id }}
            className="-my-2.5 inline-block py-2.5 underline decoration-line underline-offset-4 hover:decoration-current desk:-my-1 desk:py-1"
          >
            {sideWord(order)} {number(order.quantity)}
          </Link>{' '}
          <SymbolLink symbol={order.symbol} />
        </span>
      </span>
    ),
  },
  { name: 'Price', place: 'second', of: (order) => priceWords(order) },
  { name: 'Time in force', isDefault: ({ timeInForce }) => timeInForce === 'DAY', of: lifetimeOf },
  {
    name: 'Filled',
    isFigure: true,
    isDefault: ({ filledQuantity }) => filledQuantity === 0,
    of: ({ filledQuantity, avgFillPrice }) =>
      filledQuantity === 0
        ? ''
        : `${number(filledQuantity)}${avgFillPrice === null ? '' : ` at ${money(avgFillPrice)}`}`,
  },
  {
    name: 'Status',
    place: 'lead',
    sortName: 'status',
    of: (order) => (
      <Link
        to="/orders/$order"
        params={{ order: order.id }}
        aria-label={`${STATUSES[order.status]}, details`}
      >
        <Chip kind={statusKind(order)}>
          <span className="underline decoration-dotted underline-offset-2">{STATUSES[order.status]}</span>
        </Chip>
      </Link>
    ),
  },
  { name: 'From', place: 'desk', of: roleWords },
  ...ofAccount,
  {
    name: 'Placed',
    place: 'tail',
    sortName: 'placed',
    line: 'whole',
    of: ({ createdAt }) => <ListTime at={createdAt} now={now} />,
  },
  {
    name: 'Cancel',
    isControl: true,
    place: 'below',
    of: (order) =>
      isWorking(order.status) && (
        <span className="flex gap-2 desk:justify-end">
          {order.role === 'manual' && (
            <Link
              to="/orders/new"
              search={{ change: order.id }}
              className={buttonClass()}
              aria-label={`Change ${sideWord(order)} ${order.symbol}`}
            >
              Change
            </Link>
          )}
          <Button onClick={() => cancel(order)} aria-label={`Cancel ${sideWord(order)} ${order.symbol}…`}>
            Cancel…
          </Button>
        </span>
      ),
  },
]
