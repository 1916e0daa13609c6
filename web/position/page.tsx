import { RefreshCw } from 'lucide-react'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Account, Position } from '#client/types.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { useAccounts } from '../records/accounts.ts'
import { money, number } from '../words/figures.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { CsvButton } from '../parts/csv-button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { sortedBy, sortingBy, type Sorting } from '../parts/sorting.ts'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { age } from '../words/times.ts'
import { CloseSheet } from './close-sheet.tsx'
import { exposureOf, exposureParts } from './exposure.ts'
import { positionColumns } from './columns.tsx'
import { positionsCsv, useCovers, usePositions } from './list.ts'
import { positionsSearch, SORTS, type PositionsSearch } from './search.ts'
import { ProtectSheet } from './protect-sheet.tsx'
import { standingOf, USUAL_SORT, type Standing } from './sort.ts'
import { totalToday } from './today.ts'
import { AccountName } from '../parts/account.tsx'
import { readChanged } from '../connection/queries.ts'
import { flattenSheet } from '../shell/open.ts'

const route = getRouteApi('/gate/shell/positions')

export function PositionsPage() {
  const positions = usePositions()
  const coverOf = useCovers()
  const accounts = useAccounts()
  const now = useNow()
  const [asked, setAsked] = useState<Position | undefined>()
  const all = positions.data?.positions ?? []
  const search = route.useSearch()
  const { sort } = search
  const navigate = route.useNavigate()
  const change = (next: PositionsSearch): void => void navigate({ search: next })
  const [order, setOrder] = useState<Standing>()
  const standing = standingOf(order, all, sort ?? USUAL_SORT, now)
  if (standing !== order) setOrder(standing)
  const close = (): void => setAsked(undefined)
  const askedAccount = asked && accounts.get(asked.accountId)
  const exposure = exposureOf(all)
  const byAccount = Map.groupBy(all, ({ accountId }) => accountId)
  const csv = (): Promise<string> => Promise.resolve(positionsCsv(all))
  const unprotected = all.filter(({ protection }) => (protection?.unprotected ?? 0) > 0)
  const [isProtecting, setProtecting] = useState(false)
  const uncovered = coverOf ? all.filter((position) => coverOf(position).uncovered > 0).length : 0
  return (
    <>
      <PageHead name="Positions">
        {all.length > 3 && (
          // At the desk the column headers sort.
          <select
            aria-label="Sort"
            value={sort ?? ''}
            onChange={({ target }) => change(positionsSearch({ sort: target.value }))}
            className="h-11 w-35 min-w-0 rounded-control border border-edge bg-surface px-2 text-base desk:hidden"
          >
            {Object.entries({ '': 'symbol A to Z', ...SORTS }).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
        <CsvButton name="positions" read={csv} />
        <Refresh />
        {unprotected.length > 1 && <Button onClick={() => setProtecting(true)}>Protect all…</Button>}
      </PageHead>
      {isProtecting && <ProtectSheet of={unprotected} close={() => setProtecting(false)} />}
      <Loaded query={positions} name="The positions">
        {({ summary }) =>
          all.length === 0 ? (
            <section className="rounded-card border border-line bg-surface">
              <Empty title="No positions">
                Positions of signals and orders appear here, with their exits.
              </Empty>
            </section>
          ) : (
            <>
              <dl className="mb-3 flex flex-wrap gap-x-4 text-sm desk:mb-4 desk:grid desk:grid-cols-4 desk:gap-3">
                <Figure
                  name={
                    <>
                      Exposure
                      <span className="max-desk:sr-only">
                        ,{' '}
                        {summary.positionCount === 1
                          ? '1 position'
                          : `${number(summary.positionCount)} positions`}
                      </span>
                    </>
                  }
                  value={money(exposure.gross)}
                  note={exposureParts(exposure).join(' · ')}
                />
                <Figure name="Unrealised" value={<Gain amount={summary.totalUnrealisedPnl} />} />
                <Figure name="Open P&L today" value={<Gain amount={totalToday(all)} />} />
                <Figure
                  name="Without exit"
                  value={coverOf ? number(uncovered) : '…'}
                  isAlarming={uncovered > 0}
                />
              </dl>
              <div className="grid gap-4">
                {[...byAccount].map(([id, held]) => (
                  <AccountPositions
                    key={id}
                    positions={sortedBy(held, ({ id: key }) => standing.ids.indexOf(key), 'asc')}
                    accounts={accounts}
                    id={id}
                    now={now}
                    coverOf={coverOf}
                    sorting={sortingBy(search, SORTS, USUAL_SORT, change)}
                    ask={setAsked}
                  />
                ))}
              </div>
            </>
          )
        }
      </Loaded>
      {asked && askedAccount && coverOf && (
        <CloseSheet
          position={all.find(({ id }) => id === asked.id)}
          account={askedAccount}
          {...{ coverOf, now, close }}
        />
      )}
    </>
  )
}

const Figure = ({
  name,
  value,
  note = '',
  isAlarming = false,
}: {
  name: React.ReactNode
  value: React.ReactNode
  note?: string
  isAlarming?: boolean
}) => (
  <div
    className={`flex-wrap gap-x-1 max-desk:flex desk:rounded-card desk:border desk:px-4 desk:py-3 ${isAlarming ? 'border-warn text-warn desk:bg-warn-soft' : 'border-line desk:bg-surface'}`}
  >
    <dt className="text-muted desk:text-xs">{name}</dt>
    <dd className="font-bold desk:text-lg">{value}</dd>
    {note !== '' && <dd className="text-muted desk:text-xs">{note}</dd>}
  </div>
)

interface AccountProps {
  id: string
  positions: readonly ListedPosition[]
  accounts: ReadonlyMap<string, Account>
  coverOf: ReturnType<typeof useCovers>
  sorting: Sorting
  now: number
  ask: (position: Position) => void
}

function AccountPositions({ id, positions, accounts, coverOf, sorting, now, ask: askFor }: AccountProps) {
  const account = accounts.get(id)
  const isLive = useIsLive()
  const oldest = Math.min(...positions.map(({ lastUpdated }) => Date.parse(lastUpdated)))
  return (
    <Panel
      title={<AccountName id={id} />}
      aside={
        <>
          <span className="text-xs text-muted">
            <span className="max-desk:sr-only">updated </span>
            {age(now - oldest)}
          </span>
          {account && (
            <Button kind="danger" disabled={!isLive} onClick={() => flattenSheet.set({ accountId: id })}>
              Close all…
            </Button>
          )}
        </>
      }
    >
      <Table
        label={`Positions of ${account?.name ?? 'a removed account'}`}
        columns={positionColumns({ coverOf, now }, askFor)}
        rows={positions}
        keyOf={({ id: key }) => key}
        sorting={sorting}
      />
    </Panel>
  )
}

/** Asks the brokers again, for a person who needs newer prices. */
function Refresh() {
  const { state, run } = useAction<void>()
  const refresh = () =>
    void run(async () => {
      await ask('POST /api/v1/accounts/sync')
      await readChanged('positions')
    })
  return (
    <>
      <Button className="max-desk:w-11 max-desk:px-0" disabled={state.is === 'busy'} onClick={refresh}>
        <RefreshCw aria-hidden="true" className={`size-4 ${state.is === 'busy' ? 'animate-spin' : ''}`} />{' '}
        <span className="max-desk:sr-only">Refresh</span>
      </Button>
      {state.is === 'failed' && (
        <div className="w-full">
          <ProblemNotice title="The brokers could not be reached" problem={state.problem} />
        </div>
      )}
    </>
  )
}
