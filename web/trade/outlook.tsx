import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Messages, Notice, ProblemNotice, Warning } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { Verdicts } from '../parts/verdicts.tsx'
import { openingOf, resultWords } from '../exit/levels.ts'
import { ExpectedLevels } from '../exit/expected-levels.tsx'
import { useAccounts } from '../records/accounts.ts'
import { money, number } from '../words/figures.ts'
import { priceWords, sideWord } from '../words/order.ts'
import { legsWords, lifetime } from '../words/signal.ts'
import { bothTimes } from '../words/times.ts'
import { mayPass, type Checked } from './checked.ts'
import type { Draft } from './draft.ts'
import { expectedBy, figuresOf } from './figures.ts'
import { effectOf, limitWarning, sharesOf, type Scene, hasTarget } from './scene.ts'
import { hasExit, levelsOfSignal, type Sent } from './sent.ts'

interface Props {
  draft: Draft
  sent: Sent
  scene: Scene
  /** The answer about the present draft; null while there is none. */
  checked: Checked | null
  /** Fields to fill in, in words; null for none. */
  missing: string | null
  /** Whether the cancellation of the changed order frees the missing buying power. */
  isPaid: boolean
  now: number
  /** Continues with the same fields as a new request. */
  startNew: () => void
}

export function Outlook({ draft, sent, scene, checked, missing, isPaid, now, startNew }: Props) {
  const { cost, before, after, buyingPower, opens, shares } = figuresOf(draft, scene, checked)
  const { quote } = scene
  const run = checked?.dryRun
  // An order that only reduces begins no exit.
  const plan = run && openingOf(run) !== null ? levelsOfSignal(sent) : null
  const expected = expectedBy(sent, checked, scene)
  const result = plan === null ? '' : resultWords(plan, expected)
  const tooFar = limitWarning(draft, quote)
  const isChecking = missing === null && !checked
  return (
    <Panel
      title="What it does"
      aside={
        <span className="text-xs text-muted">
          {isChecking ? 'checking…' : missing === null ? 'dry run' : ''}
        </span>
      }
    >
      <div aria-live="polite" aria-busy={isChecking} className="grid gap-4 p-4">
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
          <Figure name={draft.symbol === '' ? 'Price' : draft.symbol}>
            {quote?.last == null ? '–' : money(quote.last)}{' '}
            {quote && <Gain rate={quote.dayChangePercent} className="text-sm" />}
          </Figure>
          <Figure name={draft.side === 'BUY' ? 'Cost' : opens ? 'Buying power used' : 'Proceeds'}>
            {cost === null ? '–' : `${draft.orderType === 'market' ? 'about ' : ''}${money(cost)}`}
          </Figure>
          <Figure name="Position">
            {scene.held === null
              ? '–'
              : after === null
                ? effectOf(before, before).split(' → ')[0]
                : effectOf(before, after)}
          </Figure>
          <Figure name="Buying power">{buyingPower === null ? '–' : money(buyingPower)}</Figure>
          {result !== '' && (
            <Figure name="Result at the stop and at the target, before fees" className="col-span-2">
              {result}
            </Figure>
          )}
        </dl>
        {missing !== null && <p className="text-muted">{missing}</p>}
        {!hasTarget(draft) && shares < sharesOf(draft) && (
          <Warning>
            {`Only ${number(shares)} of ${number(sharesOf(draft))}: you hold no more, and this order never reverses a position.`}
          </Warning>
        )}
        {tooFar !== null && <Warning>{tooFar}</Warning>}
        {checked && <Answer {...{ checked, isPaid, startNew }} />}
        {run?.order && (
          <p className="font-medium wrap-anywhere">
            {sideWord(run.order)} {number(run.order.quantity)} {run.order.symbol}, {priceWords(run.order)},{' '}
            {lifetime(run.order)}
          </p>
        )}
        {plan && (
          <section className="grid gap-2">
            <h3 className="font-medium">Protection, once it is filled</h3>
            <ExpectedLevels terms={plan} expected={expected} />
          </section>
        )}
        {run && <Terms {...{ run, sent, now }} />}
        {run && <Rules verdicts={run.verdicts} />}
      </div>
    </Panel>
  )
}

interface FigureProps {
  name: string
  className?: string
  children: ReactNode
}

const Figure = ({ name, className = '', children }: FigureProps) => (
  <div className={`min-w-0 ${className}`}>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="font-bold wrap-anywhere">{children}</dd>
  </div>
)

function Answer({ checked, isPaid, startNew }: Pick<Props, 'isPaid' | 'startNew'> & { checked: Checked }) {
  const accounts = useAccounts()
  const { dryRun, problem, advisories = [], refusedIn = [] } = checked
  if (problem && mayPass(checked)) return <p className="text-muted">One moment…</p>
  if (problem) return <ProblemNotice title="It could not be checked" problem={problem} />
  if (!dryRun) return null
  if (dryRun.outcome === 'existing')
    return (
      <Notice kind="warn" title="Already sent">
        <p>A signal has this name, so nothing else is sent.</p>
        <p className="flex flex-wrap items-center gap-3">
          <Link to="/signals/$id" params={{ id: dryRun.signalId ?? '' }} className="text-sm underline">
            Look at its signal
          </Link>
          <Button onClick={startNew}>Place another order</Button>
        </p>
      </Notice>
    )
  const of = (outcome: string) => dryRun.verdicts.filter((verdict) => verdict.outcome === outcome)
  const denied = of('denied').filter(({ rule }) => !isPaid || rule !== 'buyingPower')
  const isFreed = denied.length < of('denied').length
  const told = new Set(dryRun.verdicts.map(({ message }) => message))
  const warnings = [
    ...refusedIn.map(
      ({ accountId, message }) => `Not in ${accounts.get(accountId)?.name ?? accountId}: ${message}`,
    ),
    ...advisories
      .filter(({ message, code }) => !told.has(message) && code !== 'source_id_taken')
      .map(({ message }) => message),
  ]
  return (
    <>
      {isFreed && (
        <Notice kind="info" title="Cancelling the working order frees the buying power">
          The buying power does not, as long as that order holds its part of it.
        </Notice>
      )}
      {dryRun.outcome === 'nothing' && (
        <Notice kind="info" title="The position is at its target">
          No order would be sent.
        </Notice>
      )}
      {dryRun.outcome === 'denied' && !(isFreed && denied.length === 0) && (
        <Notice kind="danger" title="It would be refused">
          <Messages of={denied} />
          {denied.length === 0 && dryRun.code}
        </Notice>
      )}
      {dryRun.outcome === 'held' && (
        <Notice kind="warn" title="It would need your approval">
          <Messages of={of('held')} />
        </Notice>
      )}
      {warnings.map((warning) => (
        <Warning key={warning}>{warning}</Warning>
      ))}
    </>
  )
}

const MOVED: Readonly<Record<string, string>> = {
  exit_rolled_to_next_session: 'in the next session, because its own time lies outside one',
  exit_moved_before_early_close: 'earlier than requested, because the exchange closes early',
}

type Run = NonNullable<Checked['dryRun']>

function Terms({ run, sent, now }: { run: Run; sent: Sent; now: number }) {
  const { order, follows, scheduledAt, session, exitAt, exitReason, waitsFor } = run
  const market = session.isOpen
    ? `The market is open until ${bothTimes(session.nextClose, now)}.`
    : `The market is closed until ${bothTimes(session.nextOpen, now)}.`
  const isPending = sent.as === 'signal' && sent.body.executeMode === 'pending'
  const moved = exitReason === null ? '' : `; ${MOVED[exitReason] ?? exitReason}`
  const lines = [
    isPending
      ? 'Sent once it is approved under Approvals.'
      : scheduledAt === null
        ? `Sent at once. ${market}`
        : `Sent ${bothTimes(scheduledAt, now)}, by the service.`,
    waitsFor.length > 0 && `After ${waitsFor.length} earlier signals of the symbol.`,
    order && follows && `${legsWords(order, follows)}, by another signal.`,
    exitAt !== null && `The exit is sent ${bothTimes(exitAt, now)}, if the entry fills at once${moved}.`,
    openingOf(run) !== null &&
      !hasExit(sent) &&
      'No exit is planned: the position stays open until you close it.',
    sent.as === 'signal' && 'It is sent as a signal.',
  ]
  return (
    <ul className="grid gap-1 text-sm text-muted">
      {lines.filter(Boolean).map((line) => (
        <li key={String(line)}>{line}</li>
      ))}
    </ul>
  )
}

const OUTCOMES = {
  denied: 'fail',
  held: 'to approve',
  warned: 'warnings',
  passed: 'pass',
  skipped: 'not set',
} as const

/** Failures come first. */
function Rules({ verdicts }: { verdicts: Run['verdicts'] }) {
  const groups = Object.entries(OUTCOMES)
    .map(([outcome, name]) => ({ name, of: verdicts.filter((verdict) => verdict.outcome === outcome) }))
    .filter(({ of }) => of.length > 0)
  return (
    <details>
      <summary className="inline-flex min-h-11 items-center text-sm text-muted underline desk:min-h-6">
        Rules: {groups.map(({ name, of }) => `${of.length} ${name}`).join(' · ')}
      </summary>
      <ul className="mt-2 grid gap-2">
        <Verdicts verdicts={groups.flatMap(({ of }) => of)} />
      </ul>
    </details>
  )
}
