import type { ReactNode } from 'react'
import { protectionIn } from '../protection/draft.ts'
import { useQuotes } from '../records/quotes.ts'
import { money, number } from '../words/figures.ts'
import { priceWords, sideWord } from '../words/order.ts'
import { legsWords, lifetime } from '../words/signal.ts'
import { Panel } from '../parts/panel.tsx'
import { Notice, ProblemNotice, Messages, Warning } from '../parts/notice.tsx'
import { expectedOf, openingOf } from '../protection/levels.ts'
import { PlannedLevels } from '../protection/planned-levels.tsx'
import type { ProtectionTerms } from '../protection/terms.ts'
import { age, bothTimes } from '../words/times.ts'
import type { Body } from './draft.ts'
import { RefusedIn } from './refused-in.tsx'
import type { DryRun, Tried } from './tried.ts'
import { Verdicts } from '../parts/verdicts.tsx'

interface Props {
  /** The last answer; null before the first. */
  tried: Tried | null
  /** It is of the body as it stands now. */
  isCurrent: boolean
  /** What there is to fill in before anything can be asked; null when nothing is. */
  missing: string | null
  body: Body
  now: number
}

/** What sending it would do, as the service says. */
export function DryRunCard({ tried, isCurrent, missing, body, now }: Props) {
  return (
    <Panel
      title="What would happen"
      aside={
        <span className="text-xs text-muted">
          {missing !== null || !tried ? '' : isCurrent ? `dry run, ${age(now - tried.at)}` : 'checking…'}
        </span>
      }
    >
      <div aria-live="polite" aria-busy={!isCurrent} className="grid gap-4 p-4">
        {missing !== null && <p className="text-muted">{missing}</p>}
        {missing === null && !tried && <p className="text-muted">One moment…</p>}
        {missing === null && tried && <Answer tried={tried} body={body} now={now} />}
      </div>
    </Panel>
  )
}

function Answer({
  tried: { of, dryRun, problem, advisories = [], refusedIn = [] },
  body,
  now,
}: {
  tried: Tried
  body: Body
  now: number
}) {
  // Too much was asked at once: it goes on by itself.
  if (problem && [429, 503].includes(problem.status)) return <p className="text-muted">One moment…</p>
  if (problem && problem.faults.length === 0)
    return <ProblemNotice title="It could not be checked" problem={problem} />
  if (problem)
    return (
      <Notice kind="danger" title="It would be refused as it stands">
        <ul className="mt-1 grid gap-1 text-sm">
          {problem.faults.map(({ field, message }, index) => (
            <li key={index} className="wrap-anywhere">
              {message}
              {field !== undefined && !message.includes(field) && (
                <span className="text-muted"> ({field})</span>
              )}
            </li>
          ))}
        </ul>
      </Notice>
    )
  if (!dryRun) return null
  const denied = dryRun.verdicts.filter(({ outcome }) => outcome === 'denied')
  const held = dryRun.verdicts.filter(({ outcome }) => outcome === 'held')
  const told = new Set(dryRun.verdicts.map(({ message }) => message))
  return (
    <>
      {dryRun.outcome === 'existing' && (
        <Notice kind="warn" title="A signal holds this sourceId">
          It would be answered instead, and no order would be sent.
        </Notice>
      )}
      {dryRun.outcome === 'nothing' && (
        <Notice kind="info" title="The target is held already">
          No order would be sent.
        </Notice>
      )}
      {dryRun.outcome === 'denied' && (
        <Notice kind="danger" title="It would be refused as it stands">
          <Messages of={denied} />
          {denied.length === 0 && dryRun.code}
        </Notice>
      )}
      {dryRun.outcome === 'held' && (
        <Notice kind="warn" title="It would wait for your approval">
          <Messages of={held} />
        </Notice>
      )}
      <RefusedIn of={refusedIn} />
      <Order dryRun={dryRun} body={body} protection={protectionIn(of)} now={now} />
      {advisories
        .filter(({ message, code }) => !told.has(message) && code !== 'source_id_taken')
        .map(({ code, message }) => (
          <Warning key={code}>{message}</Warning>
        ))}
    </>
  )
}

function Order({
  dryRun: { outcome, order, follows, session, exitAt, exitReason, waitsFor },
  body,
  protection: asked,
  now,
}: {
  dryRun: DryRun
  body: Body
  /** Of the body that was tried, which is sound. */
  protection: ProtectionTerms | null
  now: number
}) {
  const opening = openingOf({ order, follows })
  // Where the order only reduces what is held, no plan begins.
  const protection = opening === null ? null : asked
  const quotes = useQuotes(protection && order ? [order.symbol] : [], body.accountId ?? undefined)
  const last = quotes.data?.quotes.get(order?.symbol ?? '')?.last ?? null
  if (!order) return <p className="text-muted">No size can be worked out, so there would be no order.</p>
  const price = order.limitPrice ?? order.stopPrice
  const opens = session.isOpen
    ? `The market is open until ${bothTimes(session.nextClose, now)}`
    : `The market is closed until ${bothTimes(session.nextOpen, now)}`
  return (
    <>
      <div>
        <p className="text-lg font-bold wrap-anywhere">
          {sideWord(order)} {number(order.quantity)} {order.symbol}, {priceWords(order)}, {lifetime(order)}
        </p>
        <p className="text-muted">
          {price === null ? '' : `About ${money(order.quantity * price)}. `}
          {opens}.
        </p>
      </div>
      <ol className="grid gap-3">
        <Step
          isNow
          what={(outcome === 'held' ? HELD : STARTS)[body.executeMode]}
          why={
            waitsFor.length > 0
              ? `after ${waitsFor.length} earlier signals have made way`
              : 'checked again right before it is sent'
          }
        />
        {follows && (
          <Step
            what={`Once that has filled, ${follows.side === 'SELL_SHORT' ? 'a short' : 'a long'} position is opened`}
            why={`${legsWords(order, follows)}, by another signal`}
          />
        )}
        {protection && (
          <Step what="Protection, once it is filled" why="">
            <PlannedLevels
              terms={protection}
              expected={expectedOf({ action: body.action, limitPrice: null, stopPrice: null }, opening, last)}
            />
          </Step>
        )}
        {exitAt !== null && (
          <Step
            what="The exit is sent"
            why={`${bothTimes(exitAt, now)}, if the entry fills at once${exitReason === null ? '' : `; ${MOVED[exitReason] ?? exitReason}`}`}
          />
        )}
        {exitAt === null && !protection && opening !== null && (
          <Step what="No exit is planned" why="The position stays until a person closes it" />
        )}
      </ol>
    </>
  )
}

const STARTS = {
  immediate: 'The order is sent at once',
  scheduled: 'The order is sent at its time',
  pending: 'It needs approval',
} as const

/** The same where a limit of the account asks for a person. */
const HELD = {
  ...STARTS,
  immediate: 'It waits for your approval',
  scheduled: 'At its time it waits for your approval',
} as const

const MOVED: Readonly<Record<string, string>> = {
  exit_rolled_to_next_session: 'in the next session, because its own time lies outside one',
  exit_moved_before_early_close: 'earlier than asked for, because the exchange closes early',
}

const Step = ({
  what,
  why,
  isNow = false,
  children,
}: {
  what: string
  why: string
  isNow?: boolean
  children?: ReactNode
}) => (
  <li className="grid grid-cols-[12px_minmax(0,1fr)] gap-x-3">
    <span
      className={`mt-1.5 size-3 rounded-full border-2 desk:mt-1 ${isNow ? 'border-accent bg-accent' : 'border-edge'}`}
    />
    <p className="font-medium wrap-anywhere">
      {what}
      <span className="block text-xs font-normal text-muted empty:hidden">{why}</span>
    </p>
    {children !== undefined && <div className="col-start-2 mt-2">{children}</div>}
  </li>
)

const ORDER = ['denied', 'held', 'warned', 'passed', 'skipped'] as const

/** What every rule says: what fails first. */
export function RulesCard({ verdicts }: { verdicts: DryRun['verdicts'] }) {
  const of = (outcome: (typeof ORDER)[number]) => verdicts.filter((verdict) => verdict.outcome === outcome)
  const counts = [
    `${of('passed').length} pass`,
    of('denied').length > 0 && `${of('denied').length} ${of('denied').length === 1 ? 'fails' : 'fail'}`,
    of('held').length > 0 && `${of('held').length} to approve`,
    of('warned').length > 0 && `${of('warned').length} to know`,
    `${of('skipped').length} not set`,
  ]
  return (
    <Panel
      title="Rules"
      aside={<span className="text-xs text-muted">{counts.filter(Boolean).join(' · ')}</span>}
    >
      <ul className="grid gap-2 p-4">
        <Verdicts verdicts={ORDER.flatMap(of)} />
      </ul>
    </Panel>
  )
}
