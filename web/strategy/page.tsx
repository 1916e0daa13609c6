import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Account, Strategy } from '#client/types.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { useAccounts } from '../records/accounts.ts'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel, OnRequest } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { number } from '../words/figures.ts'
import { useAllStrategies } from './data.ts'
import { StrategyActions } from './actions.tsx'
import { Create } from './sheets.tsx'
import { StatusChip } from './status-chip.tsx'

export function StrategiesPage() {
  const strategies = useAllStrategies(false)
  const accounts = useAccounts()
  const [isMaking, setMaking] = useState(false)
  const [message, setMessage] = useState<string | null>(null)
  const close = () => setMaking(false)
  const done = (text: string): void => {
    close()
    setMessage(text)
  }
  return (
    <>
      <PageHead name="Strategies" note="groups of signals, with their results">
        <Button kind="primary" onClick={() => setMaking(true)}>
          <Plus aria-hidden="true" className="size-4" /> New strategy
        </Button>
      </PageHead>
      <div role="status" className="not-empty:mb-4">
        {message !== null && <Notice kind="info" title={message} />}
      </div>
      <div className="grid gap-4">
        <Panel
          title="In use"
          aside={
            <Link to="/performance" search={{}} className={buttonClass()}>
              Performance
            </Link>
          }
        >
          <Loaded query={strategies} name="The strategies">
            {(all) => (
              <Table
                label="Strategies"
                columns={columns(accounts, done)}
                rows={all}
                keyOf={({ id }) => id}
                empty={
                  <Empty title="No strategy yet">
                    Optional. Signals of one strategy can be paused together, and have their own results.
                  </Empty>
                }
              />
            )}
          </Loaded>
        </Panel>
        <OnRequest name="Show deleted strategies">
          <Deleted />
        </OnRequest>
      </div>
      {isMaking && <Create close={close} done={done} />}
    </>
  )
}

const LINK = 'inline-flex min-h-11 items-center underline desk:min-h-6'

const columns = (
  accounts: ReadonlyMap<string, Account>,
  done: (message: string) => void,
): Column<Strategy>[] => [
  {
    name: 'Strategy',
    place: 'first',
    of: ({ id, name, description }) => (
      <span className="grid min-w-0 wrap-anywhere whitespace-normal">
        <Link to="/strategies/$strategy" params={{ strategy: id }} className={LINK}>
          {name}
        </Link>
        {description !== null && <span className="text-xs font-normal text-muted">{description}</span>}
      </span>
    ),
  },
  {
    name: 'Status',
    place: 'lead',
    of: ({ status }) => <StatusChip status={status} />,
  },
  {
    name: 'Realised P&L',
    isFigure: true,
    place: 'tail',
    of: ({ stats }) => <Gain amount={stats.realisedPnl} />,
  },
  {
    name: 'Signals',
    isFigure: true,
    of: ({ id, name, stats }) => (
      <Link to="/signals" search={{ strategy: id }} className={LINK}>
        {number(stats.signals)}
        <span className="sr-only"> signals of {name}</span>
      </Link>
    ),
  },
  {
    name: 'Trades',
    isFigure: true,
    of: ({ id, name, stats }) => (
      <Link to="/trades" search={{ strategy: id }} className={LINK}>
        {number(stats.trades)}
        <span className="sr-only"> trades of {name}</span>
      </Link>
    ),
  },
  {
    name: 'Account',
    place: 'second',
    of: ({ defaultAccountId }) =>
      defaultAccountId === null ? 'any account' : (accounts.get(defaultAccountId)?.name ?? 'removed account'),
  },
  {
    name: 'Actions',
    isControl: true,
    of: (strategy) => <StrategyActions strategy={strategy} done={done} />,
  },
]

function Deleted() {
  const deleted = useAllStrategies(true)
  return (
    <Panel title="Deleted">
      <Loaded query={deleted} name="The deleted strategies" rows={1}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No strategy was deleted" />
          ) : (
            <ul>
              {all.map(({ id, name, stats }) => (
                <li
                  key={id}
                  className="flex flex-wrap items-center gap-x-3 border-line px-4 py-2 not-last:border-b"
                >
                  <Link
                    to="/strategies/$strategy"
                    params={{ strategy: id }}
                    className={`${LINK} min-w-0 grow wrap-anywhere`}
                  >
                    {name}
                  </Link>
                  <Link to="/signals" search={{ strategy: id }} className={LINK}>
                    {number(stats.signals)} signals
                  </Link>
                  <Gain amount={stats.realisedPnl} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}
