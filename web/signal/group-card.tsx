import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import { useState } from 'react'
import type { Signal } from '#client/types.ts'
import { mayBeWithdrawn, mayCancelExit } from '#domain/signal/signal.ts'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { readChanged } from '../connection/queries.ts'
import { AccountName } from '../parts/account.tsx'
import { Button, buttonClass } from '../parts/button.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAccounts } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { doneWords, type GroupLine } from './group.ts'
import { StatusChip } from './status-chip.tsx'

/** Signals of the same group for other accounts; nothing without a group. */
export function GroupCard({ signal: { id, groupId } }: { signal: Signal }) {
  const key = ['group', groupId ?? '']
  const { data } = useQuery({
    queryKey: key,
    enabled: groupId !== null,
    queryFn: () => dataOf('GET /api/v1/signal-groups/{groupId}', { path: { groupId: groupId ?? '' } }),
  })
  if (!data || groupId === null || data.group.accounts < 2) return null
  const { group, signals, refusals } = data
  return (
    <Panel
      title={`One of ${group.accounts} accounts`}
      aside={
        <Link to="/signals" search={{ group: groupId }} className={buttonClass()}>
          List<span className="sr-only"> of the signals of this group</span>
        </Link>
      }
    >
      <ul aria-label="Signals for each account">
        {signals.map((each) => (
          <li key={each.id} className="border-line not-last:border-b">
            <Link
              to="/signals/$id"
              params={{ id: each.id }}
              aria-current={each.id === id ? 'true' : undefined}
              className={`flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken ${each.id === id ? 'font-bold' : ''}`}
            >
              <span className="min-w-0 grow wrap-anywhere">
                <AccountName id={each.accountId} />
              </span>
              <StatusChip signal={each} />
            </Link>
          </li>
        ))}
        {refusals.map(({ accountId, message }) => (
          <li key={accountId} className="flex gap-2 border-line px-4 py-2 not-last:border-b">
            <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />
            <span className="min-w-0 wrap-anywhere">
              <AccountName id={accountId} />
              <span className="block text-xs text-muted">{message}</span>
            </span>
          </li>
        ))}
      </ul>
      <Actions groupId={groupId} signals={signals} />
    </Panel>
  )
}

type Asked = 'approve' | 'decline' | 'stop' | 'exit'

interface ActionsProps {
  groupId: string
  signals: readonly Signal[]
}

function Actions({ groupId, signals }: ActionsProps) {
  const isLive = useIsLive()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [done, setDone] = useState('')
  const pending = signals.filter(({ status }) => status === 'pending')
  const open = signals.filter(isOpen)
  const exits = signals.filter(({ status, exit }) => mayCancelExit(status, exit?.status ?? null))
  const offered: [Asked, string, number][] = [
    ['approve', 'Approve all', pending.length],
    ['decline', 'Decline all', pending.length],
    ['stop', 'Cancel all', open.length],
    ['exit', 'Cancel exits', exits.length],
  ]
  const buttons = offered.filter(([, , count]) => count > 1)
  return (
    <>
      {buttons.length > 0 && (
        <div className="flex flex-wrap gap-2 border-t border-line p-3">
          {buttons.map(([what, name, count]) => (
            <Button
              key={what}
              kind={what === 'approve' ? 'primary' : 'danger'}
              disabled={!isLive}
              onClick={() => setAsked(what)}
            >
              {name} {count}…
            </Button>
          ))}
        </div>
      )}
      <p role="status" className="border-t border-line px-4 py-3 empty:hidden">
        {done}
      </p>
      {asked !== null && (
        <Ask
          groupId={groupId}
          asked={asked}
          signals={asked === 'stop' ? open : asked === 'exit' ? exits : pending}
          close={() => setAsked(null)}
          done={setDone}
        />
      )}
    </>
  )
}

/** A signal that waits, or whose entry works at the broker, can be stopped. */
const isOpen = ({ status, filledQuantity }: Signal): boolean =>
  mayBeWithdrawn(status) || status === 'transmitted' || (status === 'executed' && filledQuantity === 0)

const QUESTIONS = {
  approve: {
    title: 'Approve all of them?',
    verb: 'Approve all',
    effect: 'Each order is checked again and sent for its account.',
  },
  decline: {
    title: 'Decline all of them?',
    verb: 'Decline all',
    effect: 'No order is sent for any of these accounts.',
  },
  stop: {
    title: 'Cancel all of them?',
    verb: 'Cancel all',
    effect:
      'Waiting signals are withdrawn, and open entries are cancelled. Filled shares stay, with their exits.',
  },
  exit: {
    title: 'Cancel all exits?',
    verb: 'Cancel the exits',
    effect: 'The positions stay open until you close them.',
  },
} as const satisfies Record<Asked, { title: string; verb: string; effect: string }>

async function send(asked: Asked, groupId: string): Promise<GroupLine[]> {
  const path = { groupId }
  switch (asked) {
    case 'approve':
      return (await dataOf('POST /api/v1/signal-groups/{groupId}/process', { path })).results
    case 'decline':
      return (await dataOf('POST /api/v1/signal-groups/{groupId}/reject', { path })).results
    case 'exit':
      return (await dataOf('DELETE /api/v1/signal-groups/{groupId}/exit', { path })).results
    case 'stop': {
      const { results } = await dataOf('DELETE /api/v1/signal-groups/{groupId}', { path })
      return results.map(({ outcome, message }) =>
        outcome === 'failed' ? { success: false, error: message } : { success: true },
      )
    }
  }
}

interface AskProps extends ActionsProps {
  asked: Asked
  close: () => void
  done: (words: string) => void
}

function Ask({ groupId, asked, signals, close, done }: AskProps) {
  const accounts = useAccounts()
  const { title, verb, effect } = QUESTIONS[asked]
  const isReal = asked === 'approve' && signals.some((each) => isRealMoney(accounts.get(each.accountId)))
  const form = useSend(async () => {
    done(doneWords(asked, await send(asked, groupId)))
    await readChanged('group', 'signals', 'signal')
    close()
  })
  return (
    <FormSheet
      close={close}
      title={title}
      verb={isReal ? `${verb} with real money` : verb}
      kind={asked === 'approve' ? 'primary' : 'stop'}
      form={form}
      isReal={isReal}
      isQuestion
    >
      <ul className="grid gap-1">
        {signals.map((each) => (
          <li key={each.id} className="wrap-anywhere">
            <AccountName id={each.accountId} />
          </li>
        ))}
      </ul>
      <p className="text-muted">{effect}</p>
    </FormSheet>
  )
}
