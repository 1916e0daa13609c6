import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Gain } from '../../parts/gain.tsx'
import { Messages, Notice, ProblemNotice, Warning } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import {
  expectedOf,
  openingOf,
  plannedLines,
  type Expected,
  type LevelLine,
} from '../../protection/levels.ts'
import { PlannedLevels } from '../../protection/planned-levels.tsx'
import { RefusedIn } from '../../signals/refused-in.tsx'
import { mayPass } from '../../signals/tried.ts'
import { money, number } from '../../words/figures.ts'
import { isBuying } from '../../words/order.ts'
import { bothTimes } from '../../words/times.ts'
import type { Checked } from './check.ts'
import {
  actionOf,
  effectOf,
  hasExit,
  limitWarning,
  planOf,
  priceOf,
  sharesOf,
  type Scene,
  type Sent,
  type Ticket,
} from './ticket.ts'

interface Props {
  ticket: Ticket
  /** What the ticket is sent as. */
  sent: Sent
  scene: Scene
  /** The last answer about the ticket; null before the first. */
  checked: Checked | null
  /** It is of the ticket as it stands now. */
  isCurrent: boolean
  missing: string | null
  /** What the buying power lacks, the cancel of the order that is changed sets free. */
  isPaid: boolean
  now: number
  /** Goes on as an order of its own, with the same fields. */
  startNew: () => void
}

/** Dollars and shares of a ticket: as the service says, and until it has said anything, as the market lets reckon. */
export function figuresOf(ticket: Ticket, scene: Scene, checked: Checked | null) {
  const order = checked?.dryRun?.order
  const shares = order?.quantity ?? Number(sharesOf(ticket, scene))
  const price = priceOf(ticket, scene.quote)
  const before = checked?.figures?.position.before ?? scene.held ?? 0
  const buys = order ? isBuying(order) : ticket.side === 'BUY'
  return {
    shares,
    cost: checked?.figures?.cost ?? (price === null || !(shares > 0) ? null : price * shares),
    before,
    after: checked?.figures?.position.after ?? (shares > 0 ? before + (buys ? shares : -shares) : null),
    buyingPower: checked?.figures?.buyingPower ?? scene.buyingPower,
    opens: actionOf(ticket.side, before).startsWith('open'),
  }
}

/** What the plan of a ticket is reckoned by. */
const expectedBy = (sent: Sent, checked: Checked | null, { quote }: Scene): Expected =>
  expectedOf(
    {
      action: sent.as === 'signal' ? sent.body.action : 'openLong',

      limitPrice: null,
      stopPrice: null,
    },
    checked?.dryRun ? openingOf(checked.dryRun) : null,
    quote?.last ?? null,
  )

/** The levels of the plan that a ticket sends along, as they would be after the fill; none without a plan. */
export function plannedOf(sent: Sent, checked: Checked | null, scene: Scene): LevelLine[] {
  const plan = planOf(sent)
  return plan === null ? [] : plannedLines(plan, expectedBy(sent, checked, scene))
}

/** What the ticket would do: money, position, and what stands against it. */
export function Outlook({ ticket, sent, scene, checked, isCurrent, missing, isPaid, now, startNew }: Props) {
  const told = isCurrent ? checked : null
  const { shares, cost, before, after, buyingPower, opens } = figuresOf(ticket, scene, told)
  const { draft } = ticket
  const { quote } = scene
  const wanted = Number(sharesOf(ticket, scene))
  const plan = told?.dryRun ? planOf(sent) : null
  const tooFar = limitWarning(ticket, quote)
  return (
    <Panel
      title="What it does"
      aside={
        <span className="text-xs text-muted">
          {missing === null && !isCurrent ? 'checking…' : missing === null ? 'dry run' : ''}
        </span>
      }
    >
      <div aria-live="polite" aria-busy={missing === null && !isCurrent} className="grid gap-4 p-4">
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
          <Figure name={draft.symbol === '' ? 'Price' : draft.symbol}>
            {quote?.last == null ? '–' : money(quote.last)}{' '}
            {quote && <Gain rate={quote.dayChangePercent} className="text-sm" />}
          </Figure>
          <Figure name={ticket.side === 'BUY' ? 'Cost' : opens ? 'Takes of the buying power' : 'Proceeds'}>
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
        </dl>
        {missing !== null && <p className="text-muted">{missing}</p>}
        {told?.dryRun?.order && shares < wanted && (
          <Warning>
            {`Only ${number(shares)} of ${number(wanted)}: no more is held, and a position is never turned round.`}
          </Warning>
        )}
        {tooFar !== null && <Warning>{tooFar}</Warning>}
        {missing === null && told && <Answer checked={told} {...{ isPaid, startNew }} />}
        {missing === null && plan && told && (
          <section className="grid gap-2">
            <h3 className="font-medium">Protection, once it is filled</h3>
            <PlannedLevels terms={plan} expected={expectedBy(sent, told, scene)} />
          </section>
        )}
        {missing === null && told?.dryRun && (
          <Terms
            checked={told}
            isPending={draft.executeMode === 'pending'}
            endsOpen={opens && !hasExit(sent)}
            opens={opens}
            now={now}
          />
        )}
      </div>
    </Panel>
  )
}

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="font-bold wrap-anywhere">{children}</dd>
  </div>
)

/** What the service says against it, or to think of. */
function Answer({
  checked: { dryRun, problem, advisories = [], refusedIn = [] },
  isPaid,
  startNew,
}: Pick<Props, 'isPaid' | 'startNew'> & { checked: Checked }) {
  if (problem && mayPass({ of: '', at: 0, problem })) return <p className="text-muted">One moment…</p>
  if (problem && problem.faults.length === 0)
    return <ProblemNotice title="It could not be checked" problem={problem} />
  if (problem)
    return (
      <Notice kind="danger" title="It would be refused as it stands">
        <Messages of={problem.faults} />
      </Notice>
    )
  if (!dryRun) return null
  if (dryRun.outcome === 'existing')
    return (
      <Notice kind="warn" title="It was sent already">
        <p>Its answer was lost on the way, so nothing else is sent in its place.</p>
        <p className="flex flex-wrap items-center gap-3">
          <Link to="/signals/$id" params={{ id: dryRun.signalId ?? '' }} className="text-sm underline">
            Look at its signal
          </Link>
          <Button onClick={startNew}>Place another order</Button>
        </p>
      </Notice>
    )
  const allDenied = dryRun.verdicts.filter(({ outcome }) => outcome === 'denied')
  const denied = allDenied.filter(({ rule }) => !isPaid || rule !== 'buyingPower')
  const isFreed = denied.length < allDenied.length
  const held = dryRun.verdicts.filter(({ outcome }) => outcome === 'held')
  const told = new Set(dryRun.verdicts.map(({ message }) => message))
  return (
    <>
      {isFreed && (
        <Notice kind="info" title="The cancel of the working order pays for it">
          The buying power does not, as long as that order holds its part of it.
        </Notice>
      )}
      {dryRun.outcome === 'denied' && !(isFreed && denied.length === 0) && (
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
      {advisories
        .filter(({ message }) => !told.has(message))
        .map(({ code, message }) => (
          <Warning key={code}>{message}</Warning>
        ))}
    </>
  )
}

/** When it is sent, and how the position is left again. */
function Terms({
  checked,
  opens,
  endsOpen,
  isPending,
  now,
}: {
  checked: Checked
  /** It waits for an approval. */
  isPending: boolean
  opens: boolean
  /** Nothing closes what it opens. */
  endsOpen: boolean
  now: number
}) {
  const { scheduledAt, session, exitAt } = checked.dryRun!
  const isSignal = checked.figures === null
  return (
    <ul className="grid gap-1 text-sm text-muted">
      <li>
        {isPending
          ? 'Sent once it is approved, on the page of approvals.'
          : scheduledAt !== null
            ? `Sent ${bothTimes(scheduledAt, now)}, by the service.`
            : session.isOpen
              ? `Sent at once. The market is open until ${bothTimes(session.nextClose, now)}.`
              : `Sent at once. The market is closed until ${bothTimes(session.nextOpen, now)}.`}
      </li>
      {opens && exitAt !== null && (
        <li>{`Its exit is sent ${bothTimes(exitAt, now)}, if it fills at once.`}</li>
      )}
      {endsOpen && <li>No exit is planned: the position stays until somebody closes it.</li>}
      {isSignal && <li>It is sent as a signal of yours, so that the service keeps it for you.</li>}
    </ul>
  )
}
