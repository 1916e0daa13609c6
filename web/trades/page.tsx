import { getRouteApi } from '@tanstack/react-router'
import { CsvButton } from '../parts/csv-button.tsx'
import { Select } from '../parts/field.tsx'
import { Filters } from '../parts/filters.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PAGE_ROWS, Pager } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { tradeColumns } from './columns.tsx'
import { tradesCsv, useTrades } from './list.ts'
import type { TradesSearch } from './search.ts'

const route = getRouteApi('/gate/shell/trades')

interface Props {
  search: TradesSearch
  change: (search: TradesSearch) => void
}

/** Round trips: what was opened, what closed it, and what that brought. */
export function TradesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: TradesSearch): void => void navigate({ search: next })
  const trades = useTrades(search)
  const strategies = useStrategies()
  const accounts = useAccounts()
  const now = useNow()
  const isFiltered = Object.keys(search).some((name) => name !== 'page')
  return (
    <>
      <PageHead name="Trades">
        <CsvButton name="trades" read={(progress) => tradesCsv(search, progress)} />
      </PageHead>
      <section aria-label="Trades" className="overflow-clip rounded-card border border-line bg-surface">
        <Filters search={search} change={change}>
          <OwnFilters search={search} change={change} />
        </Filters>
        <Loaded query={trades} name="The trades" rows={8}>
          {(page) => (
            <>
              {page.trades.length === 0 ? (
                <Empty title={isFiltered ? 'No trade is like that' : 'No trades yet'}>
                  {isFiltered ? 'Show all, or look for other days.' : 'A trade begins with the first fill.'}
                </Empty>
              ) : (
                <Table
                  label="Trades"
                  columns={tradeColumns({ accounts, strategies: strategies.data, now })}
                  rows={page.trades}
                  keyOf={({ id }) => id}
                />
              )}
              <Pager
                page={search.page ?? 1}
                total={page.total}
                totalIsExact={page.totalIsExact}
                hasMore={page.nextCursor !== null && page.trades.length === PAGE_ROWS}
                turnTo={(to) => change({ ...search, page: to })}
              />
            </>
          )}
        </Loaded>
      </section>
    </>
  )
}

const OwnFilters = ({ search, change }: Props) => {
  const strategies = useStrategies()
  const { page: _page, status, side, strategy, ...rest } = search
  const set = (next: Pick<TradesSearch, 'status' | 'side' | 'strategy'>) => change({ ...rest, ...next })
  const own = {
    ...(status && { status }),
    ...(side && { side }),
    ...(strategy !== undefined && { strategy }),
  }
  const without = (name: keyof typeof own) => {
    const { [name]: _gone, ...others } = own
    return others
  }
  return (
    <>
      <Select
        label="Status"
        value={status ?? ''}
        options={[
          ['', 'all'],
          ['OPEN', 'open'],
          ['CLOSED', 'closed'],
        ]}
        choose={(value) => set(value === '' ? without('status') : { ...own, status: value })}
        className="desk:w-28"
      />
      <Select
        label="Side"
        value={side ?? ''}
        options={[
          ['', 'both'],
          ['LONG', 'long'],
          ['SHORT', 'short'],
        ]}
        choose={(value) => set(value === '' ? without('side') : { ...own, side: value })}
        className="desk:w-28"
      />
      <Select
        label="Strategy"
        value={strategy ?? ''}
        options={[['', 'all'], ...(strategies.data ?? []).map(({ id, name }) => [id, name] as const)]}
        choose={(value) => set(value === '' ? without('strategy') : { ...own, strategy: value })}
        className="desk:w-40"
      />
    </>
  )
}
