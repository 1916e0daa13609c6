import { lazy, Suspense, useState } from 'react'
import { Link } from '@tanstack/react-router'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { Settled } from '../parts/settled.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { positionColumns } from '../position/columns.tsx'
import { useCovers, usePositions } from '../position/list.ts'
import { useAccounts } from '../records/accounts.ts'
import { FirstSteps } from '../setup/first-steps.tsx'
import { Accounts } from './accounts.tsx'
import { AgendaLine, useAgenda } from './agenda-line.tsx'
import { SUMMARY } from '../records/news.ts'
import { Money } from './money.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Service } from './service.tsx'
import { SignalsToday } from './signals-today.tsx'

const EquityPanel = lazy(async () => ({ default: (await import('../performance/equity.tsx')).EquityPanel }))

const MOST_POSITIONS = 6
const MOST_OF_AGENDA = 8
const ALL_OF_AGENDA = 100

const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'America/New_York',
})

export function TodayPage() {
  const now = useNow()
  return (
    <>
      <PageHead name="Today" note={`${day.format(now)} in New York`} />
      <Settled known={SUMMARY}>
        {/* Items for a person come first on the phone and for screen readers; on a wide desk they are on the right. */}
        <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_minmax(320px,380px)]">
          <div className="grid min-w-0 gap-4 max-wide:contents wide:col-start-2 wide:row-start-2">
            <NeedsYou now={now} />
            <FirstSteps />
            <div className="max-wide:order-2">
              <Next now={now} />
            </div>
            <div className="max-wide:order-4">
              <Service now={now} />
            </div>
          </div>
          <div className="min-w-0 max-wide:order-1 wide:col-span-2 wide:row-start-1">
            <Money now={now} />
            <SignalsToday now={now} />
          </div>
          <div className="grid min-w-0 gap-4 max-wide:order-3 wide:row-start-2">
            <Positions now={now} />
            <Suspense fallback={<div className="h-96 rounded-card border border-line bg-surface" />}>
              <EquityPanel />
            </Suspense>
            <Accounts now={now} />
          </div>
        </div>
      </Settled>
    </>
  )
}

const MORE = 'inline-flex min-h-11 items-center underline desk:min-h-6'

function Next({ now }: { now: number }) {
  const [most, setMost] = useState(MOST_OF_AGENDA)
  const agenda = useAgenda(undefined, most)
  const accounts = useAccounts()
  return (
    <Panel title="Upcoming">
      <Loaded query={agenda} name="What happens next" rows={3}>
        {({ items, total, totalIsExact }) =>
          items.length === 0 ? (
            <Empty title="Nothing is planned">
              Exits, scheduled entries and expiries appear here with their time.
            </Empty>
          ) : (
            <>
              <ul>
                {items.map((item) => (
                  <AgendaLine
                    key={`${item.kind} ${item.signalId ?? item.orderId}`}
                    item={item}
                    now={now}
                    account={accounts.size > 1 ? accounts.get(item.accountId)?.name : undefined}
                  />
                ))}
              </ul>
              {total > items.length && (
                <p className="border-t border-line px-4 py-2 text-xs text-muted">
                  {most < ALL_OF_AGENDA ? (
                    <button type="button" className={MORE} onClick={() => setMost(ALL_OF_AGENDA)}>
                      and {total - items.length}
                      {totalIsExact ? '' : ' or more'} later
                    </button>
                  ) : (
                    `and ${total - items.length}${totalIsExact ? '' : ' or more'} later`
                  )}
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

function Positions({ now }: { now: number }) {
  const positions = usePositions()
  const coverOf = useCovers()
  return (
    <Panel
      title="Positions"
      aside={
        <Link to="/positions" className={MORE}>
          all {positions.data?.positions.length ?? ''}
          <span className="sr-only"> positions</span>
        </Link>
      }
    >
      <Loaded query={positions} name="The positions">
        {({ positions: all }) => (
          <Table
            label="Positions"
            columns={positionColumns({ coverOf, now })}
            rows={all
              .toSorted((a, b) => Math.abs(b.marketValue) - Math.abs(a.marketValue))
              .slice(0, MOST_POSITIONS)}
            keyOf={({ id }) => id}
            empty={<Empty title="No positions" />}
          />
        )}
      </Loaded>
    </Panel>
  )
}
