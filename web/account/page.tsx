import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LoaderCircle, RefreshCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Account } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { Problem } from '../connection/problem.ts'
import { useAction } from '../parts/action.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useSend, FormSheet } from '../parts/form.tsx'
import { FlatByCloseSheet } from '../parts/flat-by-close-sheet.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip, Panel, OnRequest } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useAccountList } from '../records/accounts.ts'
import { money } from '../words/figures.ts'
import { flatWords } from '../words/flat-by-close.ts'
import { isRealMoney } from '../words/signal.ts'
import { age } from '../words/times.ts'
import { Mode } from './mode.tsx'
import { readChanged } from '../connection/queries.ts'

export function AccountsPage() {
  const accounts = useAccountList()
  const now = useNow()
  const [primary, setPrimary] = useState<Account | null>(null)
  const [flat, setFlat] = useState<Account | null>(null)
  return (
    <>
      <PageHead name="Accounts" />
      <div className="grid gap-4">
        <Mode accounts={accounts.data ?? []} />
        <Panel
          title="Connected"
          aside={
            <Link to="/set-up/brokers" className={buttonClass()}>
              Connect or remove…
            </Link>
          }
        >
          <Loaded query={accounts} name="The accounts">
            {(all) => (
              <Table
                label="Accounts"
                columns={columns(now, setPrimary, setFlat)}
                rows={all}
                keyOf={({ id }) => id}
                empty={<Empty title="No account yet">Connect a broker to add its account.</Empty>}
              />
            )}
          </Loaded>
        </Panel>
        <OnRequest name="Show removed accounts">
          <Removed />
        </OnRequest>
      </div>
      {flat !== null && (
        <FlatByCloseSheet
          name={flat.name}
          whose="account"
          terms={flat.flatByClose}
          isReal={isRealMoney(flat)}
          save={async (flatByClose) => {
            await ask('PATCH /api/v1/accounts/{accountId}', {
              path: { accountId: flat.id },
              body: { flatByClose },
            })
            await readChanged('accounts')
          }}
          close={() => setFlat(null)}
        />
      )}
      {primary !== null && <MakePrimary account={primary} close={() => setPrimary(null)} />}
    </>
  )
}

const columns = (
  now: number,
  makePrimary: (account: Account) => void,
  makeFlat: (account: Account) => void,
): Column<Account>[] => [
  {
    name: 'Account',
    place: 'first',
    of: (account) => (
      <span className="grid gap-1">
        <span className="flex flex-wrap items-center gap-2 wrap-anywhere whitespace-normal">
          {account.name}
          {account.isPrimary && <Chip>primary</Chip>}
        </span>
        <span data-mode={isRealMoney(account) ? 'live' : 'paper'}>
          <ModePill isLive={isRealMoney(account)} />
        </span>
        {account.restrictions.map((restriction) => (
          <span key={restriction} className="max-w-prose wrap-anywhere whitespace-normal text-xs text-warn">
            {restriction}
          </span>
        ))}
      </span>
    ),
  },
  { name: 'Equity', isFigure: true, place: 'lead', of: ({ equity }) => money(equity) },
  { name: 'Cash', isFigure: true, of: ({ cashBalance }) => money(cashBalance) },
  { name: 'Buying power', isFigure: true, of: ({ buyingPower }) => money(buyingPower) },
  {
    name: 'At the broker',
    of: ({ brokerAccountId, type }) => (
      <span className="wrap-anywhere">
        {brokerAccountId} <span className="text-muted">{type.toLowerCase()}</span>
      </span>
    ),
  },
  {
    name: 'Updated',
    place: 'second',
    of: ({ lastSyncedAt }) => (lastSyncedAt === null ? 'never' : age(now - Date.parse(lastSyncedAt))),
  },
  { name: 'Flat by the close', of: (account) => flatWords(account.flatByClose) },
  {
    name: 'Actions',
    isControl: true,
    of: (account) => (
      <span className="flex flex-wrap items-start justify-end gap-2">
        <Button onClick={() => makeFlat(account)} aria-label={`Flat by the close: ${account.name}`}>
          Flat by the close…
        </Button>
        {!account.isPrimary && (
          <Button onClick={() => makePrimary(account)} aria-label={`Make primary: ${account.name}`}>
            Make primary…
          </Button>
        )}
        <Sync account={account} />
        <CopyButton text={account.id} label="Copy id" what={`of ${account.name}`} />
      </span>
    ),
  },
]

function Sync({ account }: { account: Account }) {
  const isLive = useIsLive()
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  const { state, run } = useAction<string | null>()
  const sync = () =>
    void run(async () => {
      const at = await syncNow(account, () => isThere.current)
      void readChanged('accounts', 'summary', 'positions', 'orders')
      return at
    })
  const words = state.is === 'busy' ? 'Syncing…' : 'Sync now'
  return (
    <span className="grid justify-items-end gap-1">
      <Button
        disabled={!isLive || state.is === 'busy'}
        onClick={sync}
        aria-label={`${words}: ${account.name}`}
      >
        {state.is === 'busy' ? (
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        ) : (
          <RefreshCw aria-hidden="true" className="size-4" />
        )}
        {words}
      </Button>
      <span
        role="status"
        className={`max-w-60 text-xs whitespace-normal empty:hidden ${state.is === 'failed' ? 'text-danger' : 'text-muted'}`}
      >
        {state.is === 'done' && 'Synced'}
        {state.is === 'failed' && state.problem.message}
      </span>
    </span>
  )
}

function MakePrimary({ account, close }: { account: Account; close: () => void }) {
  const form = useSend(async () => {
    await ask('PUT /api/v1/accounts/{accountId}/primary', { path: { accountId: account.id } })
    await readChanged('accounts', 'brokers')
    close()
  })
  return (
    <FormSheet
      close={close}
      title={`Make ${account.name} the primary account?`}
      verb={isRealMoney(account) ? 'Make the real account primary' : 'Make it primary'}
      form={form}
      isReal={isRealMoney(account)}
      isQuestion
    >
      <p>
        <ModePill isLive={isRealMoney(account)} />
      </p>
      <p className="text-muted">
        It comes first in every list and is the default in forms. Signals name their account, so this
        redirects none of them.
      </p>
    </FormSheet>
  )
}

/** Accounts without a connection; the lists keep their trades. */
function Removed() {
  const removed = useQuery({
    queryKey: ['accounts', 'removed'],
    queryFn: async () =>
      (await ask('GET /api/v1/accounts', { query: { include: 'removed' } })).body.accounts.filter(
        ({ isActive }) => !isActive,
      ),
  })
  return (
    <Panel title="Removed">
      <Loaded query={removed} name="The removed accounts" rows={1}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No account was removed" />
          ) : (
            <ul>
              {all.map(({ id, name, brokerAccountId, isDemo }) => (
                <li key={id} className="border-line px-4 py-3 wrap-anywhere not-last:border-b">
                  {name}{' '}
                  <span className="text-muted">
                    {brokerAccountId}, {isDemo ? 'paper' : 'live'}. Connect its broker again to trade in it.
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Number of requests for one press; each waits at most ten seconds for the running sync. */
const MAX_REQUESTS = 6

/**
 * Syncs an account and resolves with the time; each request joins the running sync. Throws a {@link Problem} when the
 * sync fails, or lasts longer than about a minute.
 *
 * @param isWanted asked between two requests, so that a closed page sends no more
 */
async function syncNow(
  { id }: Pick<Account, 'id'>,
  isWanted: () => boolean = () => true,
): Promise<string | null> {
  for (let request = 0; request < MAX_REQUESTS && isWanted(); request += 1) {
    const { body } = await ask('POST /api/v1/accounts/{accountId}/sync', { path: { accountId: id } })
    if (body.syncedAt !== null) return body.syncedAt
  }
  if (!isWanted()) return null
  throw new Problem(202, 'STILL_RUNNING', 'The sync is still running. Check again later.', null)
}
