import { getRouteApi } from '@tanstack/react-router'
import { CsvButton } from '../parts/csv-button.tsx'
import { Filters, type FilterChoice } from '../parts/filters.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { sortingBy } from '../parts/sorting.ts'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useStrategies } from '../records/accounts.ts'
import { tradeColumns } from './columns.tsx'
import { tradesCsv, useTotals, useTrades } from './list.ts'
import { CLOSED_IN, SORTS, type TradesSearch } from './search.ts'
import { Totals } from './totals.tsx'
import { Segmented } from '../parts/segmented.tsx'
import type { Strategy } from '#client/types.ts'

const route = getRouteApi('/gate/shell/trades')

export function TradesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: TradesSearch): void => void navigate({ search: next })
  const trades = useTrades(search)
  const totals = useTotals(search)
  const strategies = useStrategies()
  const now = useNow()
  const isFiltered = Object.keys(search).some((name) => name !== 'page' && name !== 'sort')
  return (
    <>
      <PageHead name="Trades">
        <CsvButton name="trades" read={(progress) => tradesCsv(search, progress)} />
        <Segmented
          legend="Closed"
          value={search.closed === undefined ? '' : isPeriod(search.closed) ? search.closed : undefined}
          options={CLOSED_IN}
          choose={(closed) => {
            const { closed: _before, page: _page, ...rest } = search
            change(closed === '' ? rest : { ...rest, closed })
          }}
        />
      </PageHead>
      <section aria-label="Trades" className="overflow-clip rounded-card border border-line bg-surface">
        <Filters search={search} change={change} choices={filtersOf(strategies.data ?? [])} />
        <Totals closed={search.closed} query={totals} />
        <Paged
          query={trades}
          name="The trades"
          rowsOf={(page) => page.trades}
          page={search.page ?? 1}
          first={search.sort === undefined ? 'newest' : 'sorted'}
          turnTo={(page) => change({ ...search, page })}
        >
          {(rows) => (
            <Table
              label="Trades"
              columns={tradeColumns({ strategies: strategies.data, now })}
              rows={rows}
              keyOf={({ id }) => id}
              sorting={sortingBy(search, SORTS, 'entryAt.desc', change)}
              empty={
                isFiltered ? (
                  <Empty title="No matching trades">Show all, or choose other days.</Empty>
                ) : (
                  <Empty title="No trades yet">A trade begins with the first fill.</Empty>
                )
              }
            />
          )}
        </Paged>
      </section>
    </>
  )
}

const isPeriod = (closed: string): closed is keyof typeof CLOSED_IN => closed in CLOSED_IN

const filtersOf = (strategies: readonly Strategy[]): readonly FilterChoice<TradesSearch>[] => [
  {
    name: 'status',
    label: 'Status',
    options: { '': 'all', OPEN: 'open', CLOSED: 'closed' },
    className: 'desk:w-28',
  },
  {
    name: 'side',
    label: 'Side',
    options: { '': 'both', LONG: 'long', SHORT: 'short' },
    className: 'desk:w-28',
  },
  {
    name: 'strategy',
    label: 'Strategy',
    options: { '': 'all', ...Object.fromEntries(strategies.map(({ id, name }) => [id, name])) },
    className: 'desk:w-40',
  },
  {
    name: 'sort',
    label: 'Sort',
    options: { '': 'newest first', ...SORTS },
    // At the desk the column headers sort.
    className: 'desk:hidden',
  },
]
