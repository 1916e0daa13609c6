import { useEffect, useRef, useState, type ComponentProps, type ReactNode } from 'react'
import type { Account } from '#client/types.ts'
import type { EntryRule } from '#domain/entry-check.ts'
import { PageHead } from '../parts/page-head.tsx'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { shares } from '../words/figures.ts'
import { isRealMoney, modeOf, verb } from '../words/signal.ts'
import { useIsLive } from '../connection/live.ts'
import type { Problem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { FaultsOfForm } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { useNow } from '../parts/time.ts'
import { ModePill } from '../parts/mode-pill.tsx'
import { ShareCard } from './share-card.tsx'
import { DraftFields, Legend, Text } from './draft-fields.tsx'
import { accountNames, bodyOf, draftOf, emptyDraft, newSourceId, withOthers, type Draft } from './draft.ts'
import { DryRunCard, RulesCard } from './dry-run-card.tsx'
import { useDryRun } from './dry-run.ts'
import { ExitFields } from './exit-fields.tsx'
import { useSending } from './sending.ts'
import { SentCard } from './sent-card.tsx'
import { refusalOf, type Tried } from './tried.ts'
import { useSignal } from './story-data.ts'
import { RealMoneySheet } from '../parts/real-money-sheet.tsx'

/** Writes a signal by hand, beside what it would do. `from` names one that is to be sent again. */
export function NewSignalPage({ from }: { from: string | undefined }) {
  return from === undefined ? <Form initial={null} /> : <SentAgain id={from} />
}

function SentAgain({ id }: { id: string }) {
  const { data, isError } = useSignal(id)
  const accounts = useAccounts()
  if (isError) return <Form initial={null} note="That signal could not be read: the form is empty." />
  if (!data || accounts.size === 0) return <p className="text-muted">One moment…</p>
  // Never real money by itself: another account is a choice of its person.
  const own = accounts.get(data.accountId)
  const paper =
    own && !isRealMoney(own) ? own : Array.from(accounts.values()).find((each) => !isRealMoney(each))
  return (
    <Form
      key={id}
      initial={draftOf(data, paper?.id ?? '', newSourceId())}
      note={
        paper
          ? `Filled from a signal that was sent before, for ${paper.name}. Times that are over were left out.`
          : 'There is no paper account: choose one.'
      }
    />
  )
}

const missingOf = ({ symbol, quantity, accountId }: Draft): string | null =>
  accountId === ''
    ? 'Choose an account.'
    : symbol.trim() === '' || quantity.trim() === ''
      ? 'Name a symbol and a quantity, and it is checked as you type.'
      : null

/** The account that is meant while nobody has chosen one: the primary one, if it is of paper. */
function firstOf(accounts: ReadonlyMap<string, Account>): string {
  const paper = Array.from(accounts.values()).filter((account) => account.isActive && !isRealMoney(account))
  return (paper.find(({ isPrimary }) => isPrimary) ?? paper[0])?.id ?? ''
}

function Form({ initial, note }: { initial: Draft | null; note?: string }) {
  const [written, setWritten] = useState<Draft>(() => initial ?? emptyDraft(newSourceId()))
  const accounts = useAccounts()
  const strategies = useStrategies().data ?? []
  const now = useNow()
  const isLive = useIsLive()
  const { sending, send, reset } = useSending()
  const [isAsking, setAsking] = useState(false)
  const outcome = useRef<HTMLDivElement>(null)
  const draft = withOthers(
    written.accountId === '' ? { ...written, accountId: firstOf(accounts) } : written,
    accounts,
  )
  const body = bodyOf(draft)
  const missing = missingOf(draft)
  const isOver = sending.is === 'taken' || sending.is === 'rejected'
  const tried = useDryRun(missing === null && isLive && !isOver ? body : null)
  const isCurrent = tried?.of === JSON.stringify(body)
  const account = accounts.get(draft.accountId)
  const realMoney = account !== undefined && isRealMoney(account)
  const refusal = missing ?? refusalOf(tried, isCurrent, body.executeMode !== 'immediate')
  const maySend = isLive && refusal === null && !isOver && sending.is !== 'sending'
  const problem = sending.is === 'failed' ? sending.problem : tried?.problem
  const faultOf = (field: string): string | undefined =>
    missing === null ? (faultIn(problem, field) ?? deniedIn(tried, field)) : undefined
  const change = (next: Partial<Draft>): void => {
    setWritten({ ...draft, ...next })
    if (sending.is === 'failed') reset()
  }
  const startNew = (): void => {
    setWritten({ ...draft, sourceId: newSourceId() })
    reset()
  }
  useEffect(() => {
    if (isOver) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [isOver])
  return (
    <div data-mode={modeOf(account)}>
      <PageHead
        name="New signal"
        note="Nothing is sent until you press the button"
        offline="Checking and sending need a connection; nothing is sent later by itself."
      >
        {realMoney && <ModePill isLive />}
      </PageHead>
      {note !== undefined && (
        <div className="mb-4">
          <Notice kind="info" title={note} />
        </div>
      )}
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_minmax(340px,420px)]">
        <Writing
          {...{ draft, change, faultOf, accounts, strategies, isOver }}
          sized={isCurrent ? sizedWords(draft, tried) : undefined}
          send={() => {
            if (!maySend) return
            if (realMoney) setAsking(true)
            else void send(body)
          }}
        >
          <Button size="big" kind="primary" type="submit" disabled={!maySend} aria-describedby="send-note">
            {sending.is === 'sending' ? 'Sending…' : realMoney ? 'Send signal…' : 'Send signal'}
          </Button>
          <p id="send-note" className="text-center text-xs text-muted empty:hidden">
            {isOver ? 'It was sent.' : isLive ? refusal : 'There is no connection.'}
          </p>
        </Writing>
        <aside aria-label="What it does" className="grid min-w-0 gap-4">
          <div ref={outcome} className="empty:hidden">
            <SentCard sending={sending} again={() => void send(body)} startNew={startNew} />
          </div>
          {!isOver && <DryRunCard {...{ tried, isCurrent, missing, body, now }} />}
          {!isOver && tried?.dryRun && missing === null && <RulesCard verdicts={tried.dryRun.verdicts} />}
          <ShareCard body={body} />
        </aside>
      </div>
      <RealMoneySheet
        isOpen={isAsking && maySend}
        close={() => setAsking(false)}
        confirm={() => void send(body)}
        title="Send it"
        verb="Send"
      >
        {verb({ action: draft.action })} {draft.quantity} {body.symbol}, {accountNames(draft, accounts)}
      </RealMoneySheet>
    </div>
  )
}

/** What a quantity that is not said in shares comes to, as the dry run has sized it. */
function sizedWords({ quantityType, symbol }: Draft, tried: Tried | null): string | undefined {
  const order = tried?.dryRun?.order
  return order && quantityType !== 'fixed'
    ? `${shares(order.quantity)} shares of ${symbol.trim().toUpperCase()}`
    : undefined
}

interface WritingProps extends ComponentProps<typeof DraftFields> {
  faultOf: (field: string) => string | undefined
  /** It was sent. */
  isOver: boolean
  send: () => void
  /** What stands below the fields, always in sight. */
  children: ReactNode
}

/** The signal as it is being written. */
const Writing = ({
  draft,
  change,
  faultOf,
  accounts,
  strategies,
  sized,
  isOver,
  send,
  children,
}: WritingProps) => (
  <form
    aria-label="New signal"
    noValidate
    className="min-w-0 rounded-card border border-line bg-surface"
    onSubmit={(event) => {
      event.preventDefault()
      send()
    }}
  >
    <fieldset disabled={isOver} className="grid min-w-0 grid-cols-1 content-start gap-4 p-4 desk:grid-cols-2">
      <legend className="sr-only">The signal</legend>
      <FaultsOfForm value={faultOf}>
        <DraftFields {...{ draft, change, accounts, strategies, sized }} />
        <ExitFields {...{ draft, change }} />
        <Legend>For your records</Legend>
        <Text
          label="sourceId"
          className="content-start"
          name="sourceId"
          hint="Sent twice under one name, it is one signal"
          {...{ draft, change }}
        />
        <Text
          label="Metadata, as JSON"
          className="content-start"
          name="metadata"
          placeholder='{"note": "earnings on Thursday"}'
          {...{ draft, change }}
        />
      </FaultsOfForm>
    </fieldset>
    <div className="sticky bottom-16 grid gap-2 rounded-b-card border-t border-line bg-surface p-3 desk:bottom-0 desk:px-4">
      {children}
    </div>
  </form>
)

/** What is wrong with a field by itself, or with a part of it such as `metadata.note`. */
const faultIn = (problem: Problem | undefined, name: string): string | undefined =>
  problem?.faults.find(({ field }) => field === name || field?.startsWith(`${name}.`))?.message

/** The fields that the service's rules judge, by the names of the rules. */
const JUDGED: Readonly<Record<string, readonly EntryRule[]>> = {
  quantity: ['size', 'maxOrderShares', 'maxOrderValue', 'maxPositionShares', 'maxPositionValue'],
  symbol: ['symbol', 'assetClass', 'price', 'asset', 'forbiddenSymbols', 'allowedSymbols'],
  limitPrice: ['priceCollarPercent'],
  exitOrderType: ['exitForm'],
  strategyId: ['strategyActive'],
  accountId: ['accountActive', 'tradingMode'],
}

/** What a rule says against a field. */
const deniedIn = (tried: Tried | null, name: string): string | undefined =>
  tried?.dryRun?.verdicts.find(
    ({ rule, outcome }) => outcome === 'denied' && JUDGED[name]?.includes(rule as EntryRule),
  )?.message
