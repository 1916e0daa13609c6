import { Link } from '@tanstack/react-router'
import { CirclePause, CirclePlay, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Account, Strategy } from '#client/types.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useAccounts } from '../records/accounts.ts'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip, Panel, OnRequest } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { number } from '../words/figures.ts'
import { useAllStrategies } from './data.ts'
import { Create, Delete, Edit, PauseOrResume } from './sheets.tsx'

type Asked = { to: 'create' } | { to: 'edit' | 'pause' | 'delete'; strategy: Strategy }

/** The strategies that signals may belong to: each can be paused by itself, and is added up by itself. */
export function StrategiesPage() {
  const strategies = useAllStrategies(false)
  const accounts = useAccounts()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [message, setMessage] = useState<string | null>(null)
  const close = () => setAsked(null)
  const done = (text: string): void => {
    close()
    setMessage(text)
  }
  return (
    <>
      <PageHead name="Strategies" note="pause and add up signals that belong together">
        <Button kind="primary" onClick={() => setAsked({ to: 'create' })}>
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
                columns={columns(accounts, setAsked)}
                rows={all}
                keyOf={({ id }) => id}
                empty={
                  <Empty title="No strategy yet">
                    Signals need none. With one they can be paused together, and are added up by themselves.
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
      {asked?.to === 'create' && <Create close={close} done={done} />}
      {asked?.to === 'edit' && <Edit strategy={asked.strategy} close={close} done={done} />}
      {asked?.to === 'pause' && <PauseOrResume strategy={asked.strategy} close={close} done={done} />}
      {asked?.to === 'delete' && <Delete strategy={asked.strategy} close={close} done={done} />}
    </>
  )
}

const LINK = 'inline-flex min-h-11 items-center underline desk:min-h-6'

const columns = (accounts: ReadonlyMap<string, Account>, ask: (asked: Asked) => void): Column<Strategy>[] => [
  {
    name: 'Strategy',
    place: 'first',
    of: ({ name, description }) => (
      <span className="grid min-w-0 wrap-anywhere whitespace-normal">
        {name}
        {description !== null && <span className="text-xs font-normal text-muted">{description}</span>}
      </span>
    ),
  },
  {
    name: 'Status',
    place: 'lead',
    of: ({ status }) =>
      status === 'active' ? (
        <Chip kind="good">
          <CirclePlay aria-hidden="true" /> active
        </Chip>
      ) : (
        <Chip kind="warn">
          <CirclePause aria-hidden="true" /> paused
        </Chip>
      ),
  },
  { name: 'Realised', isFigure: true, place: 'tail', of: ({ stats }) => <Gain amount={stats.realisedPnl} /> },
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
    of: (strategy) => (
      <span className="grid grid-cols-2 gap-2 desk:flex desk:justify-end">
        <CopyButton text={strategy.id} label="Copy id" what={`of ${strategy.name}`} />
        <Button onClick={() => ask({ to: 'edit', strategy })} aria-label={`Change ${strategy.name}`}>
          Change…
        </Button>
        <Button
          onClick={() => ask({ to: 'pause', strategy })}
          aria-label={`${strategy.status === 'paused' ? 'Resume' : 'Pause'} ${strategy.name}`}
        >
          {strategy.status === 'paused' ? 'Resume…' : 'Pause…'}
        </Button>
        <Button
          kind="danger"
          onClick={() => ask({ to: 'delete', strategy })}
          aria-label={`Delete ${strategy.name}`}
        >
          Delete…
        </Button>
      </span>
    ),
  },
]

/** Strategies that were deleted: their signals and trades keep them. */
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
                  <span className="min-w-0 grow wrap-anywhere">{name}</span>
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
