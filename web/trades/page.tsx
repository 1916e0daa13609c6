import { getRouteApi } from '@tanstack/react-router'
import { CsvButton } from '../parts/csv-button.tsx'
import { Filters, type FilterChoice } from '../parts/filters.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useStrategies } from '../records/accounts.ts'
import { tradeColumns } from './columns.tsx'
import { tradesCsv, useTrades } from './list.ts'
import type { TradesSearch } from './search.ts'
import type { Strategy } from '#client/types.ts'

const route = getRouteApi('/gate/shell/trades')

/** Round trips: what was opened, what closed it, and what that brought. */
export function TradesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: TradesSearch): void => void navigate({ search: next })
  const trades = useTrades(search)
  const strategies = useStrategies()
  const now = useNow()
  const isFiltered = Object.keys(search).some((name) => name !== 'page')
  return (
    <>
      <PageHead name="Trades">
        <CsvButton name="trades" read={(progress) => tradesCsv(search, progress)} />
      </PageHead>
      <section aria-label="Trades" className="overflow-clip rounded-card border border-line bg-surface">
        <Filters search={search} change={change} choices={filtersOf(strategies.data ?? [])} />
        <Paged
          query={trades}
          name="The trades"
          rowsOf={(page) => page.trades}
          page={search.page ?? 1}
          turnTo={(page) => change({ ...search, page })}
        >
          {(rows) => (
            <Table
              label="Trades"
              columns={tradeColumns({ strategies: strategies.data, now })}
              rows={rows}
              keyOf={({ id }) => id}
              empty={
                isFiltered ? (
                  <Empty title="No trade is like that">Show all, or look for other days.</Empty>
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
]
