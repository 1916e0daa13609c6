import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrderDetail } from '#client/types.ts'
import type { EntryRule } from '#domain/entry-check.ts'
import { dataOf } from '../../connection/ask.ts'
import { useIsLive } from '../../connection/live.ts'
import { Problem } from '../../connection/problem.ts'
import { mayHaveArrived, useAction } from '../../parts/action.ts'
import { Button } from '../../parts/button.tsx'
import { FaultsOfForm } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useNow, useSettled } from '../../parts/time.ts'
import { usePositions } from '../../positions/list.ts'
import { levelWords } from '../../protection/levels.ts'
import { useAccounts } from '../../records/accounts.ts'
import { useQuotes } from '../../records/quotes.ts'
import { accountNames, newSourceId, withOthers } from '../../signals/draft.ts'
import { RulesCard } from '../../signals/dry-run-card.tsx'
import { refusalOf } from '../../signals/tried.ts'
import { money, number } from '../../words/figures.ts'
import { isRealMoney, modeOf } from '../../words/signal.ts'
import { useCheck, type Checked } from './check.ts'
import { TicketFields } from './fields.tsx'
import { figuresOf, Outlook, plannedOf } from './outlook.tsx'
import { PlaceSheet, type Asked } from './place-sheet.tsx'
import { change, place, type Placed } from './placing.ts'
import {
  effectOf,
  hasExit,
  isPaidByCancel,
  missingIn,
  priceOf,
  sentenceOf,
  sentOf,
  verbOf,
  type Scene,
  type Sent,
  type Ticket,
} from './ticket.ts'

interface Props {
  initial: Ticket
  /** The working order that the ticket changes; null for a new one. */
  changes: OrderDetail | null
  /** The working order is cancelled, and nothing stands in its place: from now on the ticket is a new one. */
  onCancelled?: () => void
}

/** The ticket: what to place, what that would do, and the question before it is sent. */
export function TicketForm({ initial, changes, onCancelled }: Props) {
  const accounts = useAccounts()
  const isLive = useIsLive()
  const now = useNow()
  const [written, setWritten] = useState(initial)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [isDone, setDone] = useState(false)
  // Whether it arrived is not known: what is sent next keeps the name of it, so that never both are taken.
  const [lost, setLost] = useState<Sent['as'] | null>(null)
  const { state, run, reset } = useAction<Placed>()
  const account = accounts.get(written.draft.accountId) ?? [...accounts.values()][0]
  const draft = withOthers({ ...written.draft, accountId: account?.id ?? '' }, accounts)
  const ticket: Ticket = { ...written, draft }
  const { scene, name } = useScene(ticket)
  const set = (change: Partial<Ticket>): void => setWritten({ ...ticket, ...change })
  const missing = missingIn(ticket, scene)
  const sent = sentOf(ticket, scene)
  const checked = useCheck(missing === null && isLive && asked === null && !isDone ? sent : null)
  const isCurrent = checked?.of === JSON.stringify(sent)
  const waits = sent.as === 'signal' && sent.body.executeMode !== 'immediate'
  const isPaid =
    changes?.accountId === ticket.draft.accountId &&
    isPaidByCancel(changes, scene.quote, figuresOf(ticket, scene, checked))
  const excused = isPaid ? 'buyingPower' : null
  const refusal =
    missing ??
    (lost !== null && lost !== sent.as ? `Whether the ${lost} arrived is not known yet.` : null) ??
    (isCurrent && checked.dryRun?.outcome === 'existing'
      ? 'It was sent already: look at its signal.'
      : isCurrent && lost === 'signal' && checked.problem
        ? 'Whether it was sent already is not known yet.'
        : refusalOf(checked, isCurrent, waits, excused))
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
        ...(draft.alsoIn.length > 0
          ? [
              `In ${accountNames(draft, accounts)}, each by a signal of its own. What follows is of the first alone.`,
            ]
          : []),
        cost === null
          ? 'What it costs is not known.'
          : ticket.side === 'SELL' && opens
            ? `Takes about ${money(cost)} of the buying power.`
            : `${ticket.side === 'BUY' ? 'Costs' : 'Brings'} about ${money(cost)}, before fees.`,
        `${ticket.draft.symbol}: ${effectOf(before, after ?? before)}.`,
        ...plannedOf(sent, checked, scene).map(levelWords),
        ...(ticket.draft.executeMode === 'pending' ? ['It waits for an approval before it is sent.'] : []),
        ...(sent.as === 'signal' ? ['The service keeps it for you, as a signal.'] : []),
        ...(opens && !hasExit(sent) ? ['No exit is planned for it.'] : []),
      ],
    })
  }
  const confirm = (): void => {
    if (!asked) return
    const key = ticket.draft.sourceId
    void run(() => (changes ? change(changes, asked.sent, key) : place(asked.sent, key)))
  }
  const startNew = (change: Partial<Ticket> = {}): void => {
    setLost(null)
    set({ ...change, draft: { ...ticket.draft, ...change.draft, sourceId: newSourceId() } })
  }
  const close = (): void => {
    setAsked(null)
    if (state.is === 'busy' || (state.is === 'failed' && mayHaveArrived(state.problem))) {
      setLost(asked?.sent.as ?? null)
    } else if (state.is === 'failed') {
      if (lost === null || state.problem.code === 'IDEMPOTENCY_KEY_REUSED') startNew()
    } else if (state.is === 'done' && state.result.isRefused === true) {
      onCancelled?.()
      startNew()
    } else if (state.is === 'done') {
      if (changes) setDone(true)
      startNew({ amount: '', draft: { ...ticket.draft, alsoIn: [] } })
    }
  }
  const problem = state.is === 'failed' ? state.problem : isCurrent ? checked.problem : undefined
  const faultOf = (field: string): string | undefined =>
    problem?.faults.find((fault) => fault.field === field)?.message ??
    (isCurrent ? deniedIn(checked, field, excused) : undefined)
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
              {...{ ticket, scene, set }}
              isNew={changes === null}
              sized={isCurrent ? String(checked.dryRun?.order?.quantity ?? '') : ''}
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
        {lost !== null && <LostNotice of={lost} startNew={() => startNew()} />}
        <Outlook
          {...{ ticket, sent, scene, checked, isCurrent, missing, isPaid, now }}
          startNew={() => startNew()}
        />
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

/** What a ticket is bound to after its answer was lost, and the way out once its person has looked. */
const LostNotice = ({ of, startNew }: { of: Sent['as']; startNew: () => void }) => (
  <Notice kind="warn" title={`Whether the ${of} arrived is not known`}>
    <p>If it did, nothing else of this ticket is placed.</p>
    <p className="flex flex-wrap items-center gap-3">
      <Link to={of === 'order' ? '/orders' : '/signals'} className="text-sm underline">
        Look at your {of}s
      </Link>
      <Button onClick={startNew}>Place another order</Button>
    </p>
  </Notice>
)

/** Money and position in one line, beside the button. */
const inShort = ({ cost, before, after }: ReturnType<typeof figuresOf>): string =>
  [cost !== null && `about ${money(cost)}`, after !== null && effectOf(before, after)]
    .filter(Boolean)
    .join(' · ')

/** What is held of the ticket's symbol, what the market says of it, and its name. */
function useScene(ticket: Ticket): {
  scene: Scene
  name: React.ReactNode
} {
  const { symbol, accountId } = ticket.draft
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
  // Counted anew for what else is typed, and by the first price where none was known.
  const wish = JSON.stringify([wanted, accountId, ticket.side, ticket.unit, ticket.amount])
  const [counted, setCounted] = useState({ wish, quote })
  if (counted.wish !== wish || (priceOf(ticket, counted.quote) === null && priceOf(ticket, quote) !== null))
    setCounted({ wish, quote })
  const held = positions?.positions.find(
    (position) => position.accountId === accountId && position.symbol === wanted,
  )
  const isUnknown = isSymbol && error instanceof Problem && error.code === 'ASSET_NOT_FOUND'
  return {
    scene: {
      held: !positions ? null : !held ? 0 : held.side === 'LONG' ? held.quantity : -held.quantity,
      quote,
      countedAt: counted.quote,
      buyingPower: accounts.get(accountId)?.buyingPower ?? null,
    },
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

const deniedIn = (checked: Checked, field: string, excused: EntryRule | null): string | undefined =>
  checked.dryRun?.verdicts.find(
    ({ rule, outcome }) =>
      outcome === 'denied' && rule !== excused && JUDGED[field]?.includes(rule as EntryRule),
  )?.message
