import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { AccessToken, Account } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { useSend, FormSheet } from '../parts/form.tsx'
import { useAccounts } from '../records/accounts.ts'
import { useTokens } from '../records/person.ts'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { age, bothTimes } from '../words/times.ts'
import { boundsWords } from './bounds.ts'
import { Webhook } from './webhook-panel.tsx'
import { endWords, KINDS, scopeWords } from './words.ts'
import { readChanged } from '../connection/queries.ts'
import { Checkbox } from '../parts/checkbox.tsx'

export function TokensPage() {
  const tokens = useTokens()
  const accounts = useAccounts()
  const now = useNow()
  const [revoked, setRevoked] = useState<AccessToken | null>(null)
  return (
    <>
      <PageHead name="Access tokens" note="for TradingView, scripts and bots">
        <Link to="/set-up/tokens/new" className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> New token
        </Link>
      </PageHead>
      <div className="grid gap-4">
        <Panel title="Tokens">
          <Loaded query={tokens} name="The tokens" rows={3}>
            {(all) => (
              <Table
                label="Tokens"
                columns={columns(now, accounts, setRevoked)}
                rows={all}
                keyOf={({ id }) => id}
                empty={<Empty title="No token yet">A program that sends signals needs one.</Empty>}
              />
            )}
          </Loaded>
        </Panel>
        <Webhook />
      </div>
      {revoked !== null && <Revoke token={revoked} now={now} close={() => setRevoked(null)} />}
    </>
  )
}

const columns = (
  now: number,
  accounts: ReadonlyMap<string, Account>,
  revoke: (token: AccessToken) => void,
): Column<AccessToken>[] => [
  {
    name: 'Name',
    place: 'first',
    of: ({ label, prefix, kind }) => (
      <span className="grid min-w-0">
        <span className="flex flex-wrap items-center gap-2 wrap-anywhere whitespace-normal">
          {label} {KINDS[kind] !== null && <Chip>{KINDS[kind]}</Chip>}
        </span>
        <span className="font-mono text-xs font-normal text-muted">{prefix}…</span>
      </span>
    ),
  },
  {
    name: 'Scopes',
    place: 'second',
    of: ({ scopes, bounds }) => (
      <span className="grid min-w-0 whitespace-normal">
        {scopeWords(scopes)}
        {boundsWords(bounds, accounts).map((words) => (
          <span key={words} className="text-xs text-muted wrap-anywhere">
            {words}
          </span>
        ))}
      </span>
    ),
  },
  {
    name: 'Last used',
    of: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : age(now - Date.parse(lastUsedAt))),
  },
  {
    name: 'Last refused',
    of: ({ lastRefusal }) =>
      lastRefusal === null ? (
        'never'
      ) : (
        <span className="grid min-w-0 whitespace-normal">
          {age(now - Date.parse(lastRefusal.at))}
          <span className="text-xs text-muted wrap-anywhere">
            {lastRefusal.code}: {lastRefusal.message}
          </span>
        </span>
      ),
  },
  {
    name: 'Signals',
    of: ({ id, label }) => (
      <Link
        to="/signals"
        search={{ token: id }}
        className="inline-flex min-h-11 items-center underline desk:min-h-0"
      >
        Show<span className="sr-only"> signals of {label}</span>
      </Link>
    ),
  },
  {
    name: 'Equal messages',
    isControl: true,
    of: (token) => (token.isReadOnly ? null : <MergesRepeats token={token} />),
  },
  { name: 'Created', of: ({ createdAt }) => age(now - Date.parse(createdAt)) },
  {
    name: 'Expires',
    of: (token) => {
      const { text, isSoon } = endWords(token, now)
      return isSoon ? (
        <Chip kind="warn">
          <TriangleAlert aria-hidden="true" /> {text}
        </Chip>
      ) : (
        text
      )
    },
  },
  {
    name: 'Revoke',
    place: 'lead',
    isControl: true,
    of: (token) =>
      token.isReadOnly ? null : (
        <Button kind="danger" onClick={() => revoke(token)} aria-label={`Revoke ${token.label}`}>
          Revoke…
        </Button>
      ),
  },
]

/** Whether equal messages without a sourceId within 30 seconds are one signal. */
function MergesRepeats({ token }: { token: AccessToken }) {
  const change = useMutation({
    mutationFn: (mergesRepeats: boolean) =>
      ask('PATCH /api/v1/tokens/{tokenId}', { path: { tokenId: token.id }, body: { mergesRepeats } }),
    onSettled: () => readChanged('tokens'),
  })
  return (
    <Checkbox
      checked={change.isPending ? change.variables : token.mergesRepeats}
      disabled={change.isPending}
      onChange={({ target }) => change.mutate(target.checked)}
      className="min-h-11 items-center gap-2 whitespace-normal desk:min-h-7"
    >
      <span>
        One within 30 s<span className="sr-only"> by {token.label}</span>
        {change.isError && <span className="block text-xs text-danger">Not changed: try again</span>}
      </span>
    </Checkbox>
  )
}

function Revoke({ token, now, close }: { token: AccessToken; now: number; close: () => void }) {
  const waiting = token.waitingSignals
  const form = useSend(async (data) => {
    const signals = data.get('keep') === 'on' ? 'keep' : 'withdraw'
    await ask('DELETE /api/v1/tokens/{tokenId}', { path: { tokenId: token.id }, query: { signals } })
    await readChanged('tokens')
    close()
  })
  return (
    <FormSheet
      close={close}
      title={`Revoke ${token.label}?`}
      verb="Revoke it"
      kind="stop"
      form={form}
      isQuestion
    >
      <p>
        Its requests are refused from now on. Orders and exits of its signals continue. This cannot be undone.
      </p>
      {waiting > 0 && (
        <>
          <p>
            {waiting === 1 ? '1 of its signals waits' : `${waiting} of its signals wait`} and will be
            withdrawn.
          </p>
          <Checkbox name="keep" className="flex gap-3">
            <span>
              Keep them on record
              <span className="block text-xs text-muted">
                You can approve pending ones. Without your approval none of them opens a position; those that
                close one are sent at their time.
              </span>
            </span>
          </Checkbox>
        </>
      )}
      <p className="text-muted">
        {token.lastUsedAt === null
          ? 'It was never used.'
          : `It was last used ${age(now - Date.parse(token.lastUsedAt))}, ${bothTimes(token.lastUsedAt, now)}.`}
      </p>
    </FormSheet>
  )
}
