import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OrderDetail } from '#client/types.ts'
import type { EntryRule } from '#domain/entry-check.ts'
import { dataOf } from '../../connection/ask.ts'
import { useIsLive } from '../../connection/live.ts'
import { Problem } from '../../connection/problem.ts'
import { useAction } from '../../parts/action.ts'
import { Button } from '../../parts/button.tsx'
import { FaultsOfForm } from '../../parts/field.tsx'
import { useNow, useSettled } from '../../parts/time.ts'
import { usePositions } from '../../positions/list.ts'
import { useAccounts } from '../../records/accounts.ts'
import { useQuotes } from '../../records/quotes.ts'
import { newSourceId } from '../../signals/draft.ts'
import { mayPass } from '../../signals/dry-run.ts'
import { RulesCard } from '../../signals/dry-run-card.tsx'
import { money, number } from '../../words/figures.ts'
import { isRealMoney, modeOf } from '../../words/signal.ts'
import { useCheck, type Checked } from './check.ts'
import { TicketFields } from './fields.tsx'
import { figuresOf, Outlook } from './outlook.tsx'
import { PlaceSheet, type Asked } from './place-sheet.tsx'
import { change, place, type Placed } from './placing.ts'
import { effectOf, missingIn, sentenceOf, sentOf, verbOf, type Scene, type Ticket } from './ticket.ts'

interface Props {
  initial: Ticket
  /** The working order that the ticket changes; null for a new one. */
  changes: OrderDetail | null
}

/** The ticket: what to place, what that would do, and the question before it is sent. */
export function TicketForm({ initial, changes }: Props) {
  const accounts = useAccounts()
  const isLive = useIsLive()
  const now = useNow()
  const [written, setWritten] = useState(initial)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [isDone, setDone] = useState(false)
  const { state, run, reset } = useAction<Placed>()
  const account = accounts.get(written.draft.accountId) ?? [...accounts.values()][0]
  const ticket: Ticket = { ...written, draft: { ...written.draft, accountId: account?.id ?? '' } }
  const { scene, name, symbols } = useScene(ticket)
  const set = (change: Partial<Ticket>): void => setWritten({ ...ticket, ...change })
  const missing = missingIn(ticket, scene)
  const sent = sentOf(ticket, scene)
  const checked = useCheck(missing === null && isLive && asked === null && !isDone ? sent : null)
  const isCurrent = checked?.of === JSON.stringify(sent)
  const waits = sent.as === 'signal' && sent.body.executeMode !== 'immediate'
  const refusal = missing ?? refusalOf(checked, isCurrent, waits)
  const verb = verbOf(ticket.side, scene.held)
  const press = (): void => {
    if (refusal !== null) return
    const { shares, cost, before, after, opens } = figuresOf(ticket, scene, checked)
    reset()
    setAsked({
      sent,
      sentence: sentenceOf(ticket, scene.held, shares),
      verb,
      isBuy: ticket.side === 'BUY',
      lines: [
        cost === null
          ? 'What it costs is not known.'
          : `${ticket.side === 'BUY' ? 'Costs' : 'Brings'} about ${money(cost)}, before fees.`,
        `${ticket.draft.symbol}: ${effectOf(before, after ?? before)}.`,
        ...(sent.as === 'signal' ? ['The service keeps its exit or its time, as of a signal.'] : []),
        ...(opens && sent.as === 'order' ? ['No exit is planned for it.'] : []),
      ],
    })
  }
  const confirm = (): void => {
    if (!asked) return
    void run(JSON.stringify(asked.sent), (key) =>
      changes ? change(changes, asked.sent, key) : place(asked.sent, key),
    )
  }
  const close = (): void => {
    setAsked(null)
    if (state.is !== 'done') return
    if (changes) setDone(true)
    set({ amount: '', draft: { ...ticket.draft, sourceId: newSourceId() } })
  }
  const problem = state.is === 'failed' ? state.problem : isCurrent ? checked.problem : undefined
  const faultOf = (field: string): string | undefined =>
    problem?.faults.find((fault) => fault.field === field)?.message ??
    (isCurrent ? deniedIn(checked, field) : undefined)
  return (
    <div
      data-mode={modeOf(account)}
      className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_minmax(320px,400px)]"
    >
      <form
        noValidate
        aria-label="Order ticket"
        onSubmit={(event) => {
          event.preventDefault()
          press()
        }}
        className="rounded-card border border-line bg-surface"
      >
        <fieldset disabled={isDone} className="grid gap-4 p-4 desk:grid-cols-2">
          <FaultsOfForm value={faultOf}>
            <TicketFields
              {...{ ticket, scene, set, symbols }}
              change={(next) => set({ draft: { ...ticket.draft, ...next } })}
              name={name}
            />
          </FaultsOfForm>
        </fieldset>
        <div className="sticky bottom-16 grid gap-2 rounded-b-card border-t border-line bg-surface p-3 desk:bottom-0 desk:px-4">
          <Button
            type="submit"
            size="big"
            kind={ticket.side === 'BUY' ? 'buy' : 'sell'}
            disabled={!isLive || refusal !== null || isDone}
            aria-describedby="ticket-note"
          >
            {changes ? 'Change to ' : ''}
            {changes ? verb.toLowerCase() : verb} {ticket.draft.symbol}
            {isRealMoney(account) ? ' with real money' : ''}…
          </Button>
          <p id="ticket-note" className="text-center text-xs text-muted empty:hidden">
            {isDone
              ? 'It was sent.'
              : isLive
                ? (refusal ?? inShort(figuresOf(ticket, scene, checked)))
                : 'There is no connection.'}
          </p>
        </div>
      </form>
      <div className="grid gap-4">
        <Outlook {...{ ticket, scene, checked, isCurrent, missing, now }} />
        {missing === null && checked?.dryRun && (
          <details>
            <summary className="inline-flex min-h-11 items-center text-sm text-muted underline desk:min-h-6">
              What every rule says
            </summary>
            <RulesCard verdicts={checked.dryRun.verdicts} />
          </details>
        )}
      </div>
      {asked && <PlaceSheet {...{ asked, account, changes, state, confirm, close }} />}
    </div>
  )
}

/** Money and position in one line, beside the button. */
const inShort = ({ cost, before, after }: ReturnType<typeof figuresOf>): string =>
  [cost !== null && `about ${money(cost)}`, after !== null && effectOf(before, after)]
    .filter(Boolean)
    .join(' · ')

/** What is held of the ticket's symbol, what the market says of it, and its name. */
function useScene({ draft: { symbol, accountId } }: Ticket): {
  scene: Scene
  name: React.ReactNode
  symbols: readonly string[]
} {
  const accounts = useAccounts()
  const { data: positions } = usePositions()
  const wanted = symbol.trim()
  const settled = useSettled(wanted)
  const isSymbol = settled === wanted && /^[A-Z][A-Z0-9.]*$/.test(settled)
  const quote = useQuotes(isSymbol && accountId !== '' ? [settled] : [], accountId).data?.quotes.get(wanted)
  const { data: asset, error } = useQuery({
    queryKey: ['asset', settled, accountId],
    queryFn: async () =>
      (await dataOf('GET /api/v1/assets/{symbol}', { path: { symbol: settled }, query: { accountId } }))
        .asset,
    enabled: isSymbol && accountId !== '',
    staleTime: 600_000,
    retry: false,
  })
  const held = positions?.positions.find(
    (position) => position.accountId === accountId && position.symbol === wanted,
  )
  const isUnknown = isSymbol && error instanceof Problem && error.code === 'ASSET_NOT_FOUND'
  return {
    scene: {
      held: held === undefined ? 0 : held.side === 'LONG' ? held.quantity : -held.quantity,
      quote,
      buyingPower: accounts.get(accountId)?.buyingPower ?? null,
    },
    symbols: [...new Set((positions?.positions ?? []).map((position) => position.symbol))],
    name: (
      <p className={`text-xs wrap-anywhere empty:hidden ${isUnknown ? 'text-danger' : 'text-muted'}`}>
        {isUnknown ? `The broker knows no ${settled}` : isSymbol ? asset?.name : ''}
        {held && `${asset ? ' · ' : ''}${number(held.quantity)} held`}
      </p>
    ),
  }
}

/** The fields that the rules judge, by the names of the rules. */
const JUDGED: Readonly<Record<string, readonly EntryRule[]>> = {
  quantity: [
    'size',
    'maxOrderShares',
    'maxOrderValue',
    'maxPositionShares',
    'maxPositionValue',
    'buyingPower',
  ],
  symbol: ['symbol', 'assetClass', 'price', 'asset', 'forbiddenSymbols', 'allowedSymbols'],
  limitPrice: ['priceCollarPercent'],
}

const deniedIn = (checked: Checked, field: string): string | undefined =>
  checked.dryRun?.verdicts.find(
    ({ rule, outcome }) => outcome === 'denied' && JUDGED[field]?.includes(rule as EntryRule),
  )?.message

/** Why it cannot be sent as it stands; null when it can. What could not be checked for the moment is judged when it is sent. */
function refusalOf(checked: Checked | null, isCurrent: boolean, waits: boolean): string | null {
  if (!checked || !isCurrent) return 'It is being checked.'
  const { problem, dryRun } = checked
  if (problem && problem.faults.length > 0) return problem.faults[0]!.message
  if (problem) return mayPass(checked) || problem.status >= 500 ? null : problem.message
  // What waits for its time is judged again then.
  if (dryRun?.outcome !== 'denied' || waits) return null
  return dryRun.verdicts.find(({ outcome }) => outcome === 'denied')?.message ?? 'It would be refused.'
}
