import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Strategy } from '#client/types.ts'
import { PERIODS } from '../performance/data.ts'
import { Results } from '../performance/results.tsx'
import { useStatistics } from '../performance/statistics.ts'
import { buttonClass } from '../parts/button.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { Settled } from '../parts/settled.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { useSignalPage } from '../signal/list.ts'
import { SignalTable } from '../signal/signal-table.tsx'
import { tradeColumns } from '../trades/columns.tsx'
import { useTrades } from '../trades/list.ts'
import { StrategyActions } from './actions.tsx'
import { useAllStrategies } from './data.ts'
import { StatusChip } from './status-chip.tsx'
import { TodayPanel } from './today-panel.tsx'

const route = getRouteApi('/gate/shell/strategies/$strategy')

const NEWEST_SHOWN = 10

export function StrategyRoute() {
  const { strategy } = route.useParams()
  return <StrategyPage key={strategy} id={strategy} />
}

function StrategyPage({ id }: { id: string }) {
  const { period = 'ALL' } = route.useSearch()
  const navigate = route.useNavigate()
  const strategies = useStrategies()
  const inUse = strategies.data?.find((each) => each.id === id)
  const deleted = useAllStrategies(true).data?.find((each) => each.id === id)
  const statistics = useStatistics({ period, strategy: id })
  const [message, setMessage] = useState<string | null>(null)
  const known: Strategy | undefined = inUse ?? deleted
  return (
    <>
      <PageHead name={known?.name ?? 'Strategy'} {...(known?.description && { note: known.description })}>
        {inUse ? <StatusChip status={inUse.status} /> : deleted && <Chip>deleted</Chip>}
        <Segmented
          legend="Period"
          value={period}
          options={PERIODS}
          choose={(next) => void navigate({ search: { period: next }, replace: true })}
        />
        {inUse && <StrategyActions strategy={inUse} done={setMessage} />}
      </PageHead>
      <div role="status" className="not-empty:mb-4">
        {message !== null && <Notice kind="info" title={message} />}
      </div>
      <Settled known={['statistics', period, '', id]}>
        <div className="grid gap-4">
          {inUse && <TodayPanel strategy={inUse} />}
          <Loaded query={statistics} name="The results">
            {(data) => <Results statistics={data} withStrategies={false} />}
          </Loaded>
          <Trades id={id} title="Open trades" status="OPEN" strategies={strategies.data} />
          <Trades id={id} title="Newest closed trades" status="CLOSED" strategies={strategies.data} />
          <Signals id={id} strategies={strategies.data ?? []} />
        </div>
      </Settled>
    </>
  )
}

interface TradesProps {
  id: string
  title: string
  status: 'OPEN' | 'CLOSED'
  strategies: readonly Strategy[] | undefined
}

function Trades({ id, title, status, strategies }: TradesProps) {
  const now = useNow()
  const trades = useTrades({ strategy: id, status, ...(status === 'CLOSED' && { sort: 'exitAt.desc' }) })
  return (
    <Panel
      title={title}
      aside={
        <Link to="/trades" search={{ strategy: id, status }} className={buttonClass()}>
          All<span className="sr-only"> {title.toLowerCase()}</span>
        </Link>
      }
    >
      <Loaded query={trades} name="The trades" rows={2}>
        {(page) => (
          <Table
            label={title}
            columns={tradeColumns({ strategies, now })}
            rows={status === 'OPEN' ? page.trades : page.trades.slice(0, NEWEST_SHOWN)}
            keyOf={(trade) => trade.id}
            empty={<Empty title={status === 'OPEN' ? 'Nothing is open' : 'No trade is closed yet'} />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Signals({ id, strategies }: { id: string; strategies: readonly Strategy[] }) {
  const now = useNow()
  const accounts = useAccounts()
  const signals = useSignalPage({ strategyId: id, limit: NEWEST_SHOWN })
  return (
    <Panel
      title="Newest signals"
      aside={
        <Link to="/signals" search={{ strategy: id }} className={buttonClass()}>
          All<span className="sr-only"> signals</span>
        </Link>
      }
    >
      <Loaded query={signals} name="The signals">
        {(page) =>
          page.signals.length === 0 ? (
            <Empty title="No signal yet">Signals name it by its id, which its menu copies.</Empty>
          ) : (
            <SignalTable
              signals={page.signals}
              accounts={accounts}
              strategies={strategies}
              now={now}
              isOld={signals.isPlaceholderData}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}
