import { Link } from '@tanstack/react-router'
import { Globe, Plus } from 'lucide-react'
import type { Hook } from '#client/types.ts'
import { AccountName } from '../parts/account.tsx'
import { buttonClass } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { age } from '../words/times.ts'
import { useHooks } from './data.ts'
import { KINDS } from './kinds.ts'

export function HooksPage() {
  const hooks = useHooks({ isWatched: true })
  const now = useNow()
  return (
    <>
      <PageHead name="Hooks" note="addresses for TradingView and other senders">
        <Link to="/set-up/hooks/address" className={buttonClass()}>
          <Globe aria-hidden="true" className="size-4" /> Reachable from outside?
        </Link>
        <Link to="/set-up/hooks/new" className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> New hook
        </Link>
      </PageHead>
      <Panel title="Hooks">
        <Loaded query={hooks} name="The hooks" rows={3}>
          {(all) => (
            <Table
              label="Hooks"
              columns={columns(now)}
              rows={all}
              keyOf={({ id }) => id}
              empty={<Nothing />}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

const Nothing = () => (
  <div className="grid justify-items-start gap-3 p-6">
    <p className="text-lg font-bold">No hook yet</p>
    <p className="max-w-150 text-muted">
      A hook is an address that an alert can call. It understands the messages of TradingView, TradersPost,
      trade-relay, SignalStack and OpenAlgo, keeps each one with its outcome, and trades in the accounts that
      you choose: on paper, until you switch LIVE on.
    </p>
    <Link to="/set-up/hooks/new" className={buttonClass('primary')}>
      Create the first hook
    </Link>
  </div>
)

const columns = (now: number): Column<Hook>[] => [
  {
    name: 'Name',
    place: 'first',
    of: ({ id, name, kind }) => (
      <span className="grid min-w-0 wrap-anywhere whitespace-normal">
        <Link
          to="/set-up/hooks/$hook"
          params={{ hook: id }}
          search={{}}
          className="inline-flex min-h-11 items-center underline desk:min-h-6"
        >
          {name}
        </Link>
        <span className="text-xs font-normal text-muted">{KINDS[kind].name}</span>
      </span>
    ),
  },
  { name: 'Mode', place: 'lead', of: ({ live }) => <ModePill isLive={live} /> },
  {
    name: 'Accounts',
    place: 'second',
    of: ({ accounts }) => (
      <span className="grid min-w-0 whitespace-normal">
        {accounts.slice(0, MOST_ACCOUNTS_NAMED).map(({ accountId }) => (
          <span key={accountId} className="wrap-anywhere">
            <AccountName id={accountId} />
          </span>
        ))}
        {accounts.length > MOST_ACCOUNTS_NAMED && (
          <span>and {accounts.length - MOST_ACCOUNTS_NAMED} more</span>
        )}
      </span>
    ),
  },
  {
    name: 'Last request',
    of: ({ lastRequestAt }) => (lastRequestAt === null ? 'none yet' : age(now - Date.parse(lastRequestAt))),
  },
  {
    name: 'Last refused',
    of: ({ id, name, lastRefusal }) =>
      lastRefusal === null ? (
        'never'
      ) : (
        <span className="inline-grid min-w-0 whitespace-normal">
          <Link
            to="/set-up/hooks/$hook"
            params={{ hook: id }}
            search={{ outcome: 'refused' }}
            className="inline-flex min-h-11 items-center underline desk:min-h-6"
          >
            {age(now - Date.parse(lastRefusal.at))}
            <span className="sr-only">: refused requests of {name}</span>
          </Link>
          <span className="text-xs text-muted wrap-anywhere">{lastRefusal.message}</span>
        </span>
      ),
  },
  {
    name: 'Orders',
    of: ({ executeMode, approvalMinutes }) =>
      executeMode === 'immediate'
        ? 'sent at once'
        : approvalMinutes === null
          ? 'you approve each'
          : `you approve each within ${approvalMinutes} min`,
  },
]

const MOST_ACCOUNTS_NAMED = 3
