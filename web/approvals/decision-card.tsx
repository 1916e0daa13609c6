import { Check as CheckIcon, Pencil, ShieldCheck, TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import type { Account, Signal } from '#client/types.ts'
import { useStore } from '../connection/store.ts'
import { live } from '../connection/live.ts'
import { noAnswer, Problem } from '../connection/problem.ts'
import { Button, Key } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useCheck, type Check } from './check.ts'
import { approve, reject, type Edit } from './decisions.ts'
import { Direction } from './direction.tsx'
import { RealMoneySheet } from './real-money-sheet.tsx'
import { isLate, TimeBar } from './time-bar.tsx'
import {
  age,
  bothTimes,
  effect,
  exitPlan,
  isBuy,
  isRealMoney,
  lifetime,
  marketTime,
  money,
  number,
  sentence,
  timeLeft,
  verb,
} from './words.ts'

type Panel = 'none' | 'edit' | 'reject'

interface Props {
  signal: Signal
  account: Account | undefined
  now: number
}

/** Everything that a decision needs, in the order in which it is asked, and the decision. */
export function DecisionCard({ signal, account, now }: Props) {
  const [panel, setPanel] = useState<Panel>('none')
  const [edit, setEdit] = useState<Edit>({})
  const [isAsking, setAsking] = useState(false)
  const isLive = useStore(live).isLive
  const hasExpired = signal.validUntil !== null && Date.parse(signal.validUntil) <= now
  const mayDecide = isLive && !hasExpired
  const check = useCheck(signal, edit, mayDecide)
  const realMoney = isRealMoney(account)
  const press = (): void => {
    if (!mayDecide) return
    if (realMoney) setAsking(true)
    else void approve(signal, edit)
  }
  const show = (next: Panel) => mayDecide && setPanel(panel === next ? 'none' : next)
  useShortcuts({ a: press, e: () => show('edit'), r: () => show('reject') })
  return (
    <article aria-label={sentence(signal)} className="relative rounded-card border border-line bg-surface">
      <TimeBar signal={signal} now={now} className="top-0" />
      <Head signal={signal} account={account} now={now} />
      <Figures signal={signal} account={account} check={check.data} now={now} />
      <Plan signal={signal} check={check.data} now={now} />
      <Checks check={check.data} error={check.error} again={() => void check.refetch()} />
      {panel === 'edit' && <EditPanel signal={signal} edit={edit} change={setEdit} fault={check.error} />}
      {panel === 'reject' && <RejectPanel signal={signal} close={() => setPanel('none')} />}
      {hasExpired && (
        <div className="px-4 pb-4 desk:px-6">
          <Notice
            kind="warn"
            title={`Expired at ${marketTime(signal.validUntil ?? '')}. Nothing was sent.`}
          />
        </div>
      )}
      <div className="sticky bottom-16 grid grid-cols-[1fr_auto_1.5fr] gap-2 rounded-b-card border-t border-line bg-surface p-4 desk:bottom-0 desk:grid-cols-[auto_auto_1fr] desk:px-6">
        <Button
          size="big"
          disabled={!mayDecide}
          aria-expanded={panel === 'reject'}
          onClick={() => show('reject')}
        >
          <X aria-hidden="true" className="size-4" /> Reject <Key>R</Key>
        </Button>
        <Button
          size="big"
          disabled={!mayDecide}
          aria-expanded={panel === 'edit'}
          aria-label="Edit"
          onClick={() => show('edit')}
        >
          <Pencil aria-hidden="true" className="size-4" /> <span className="hidden desk:inline">Edit</span>{' '}
          <Key>E</Key>
        </Button>
        <Button size="big" kind="primary" disabled={!mayDecide} onClick={press}>
          {realMoney ? 'Approve…' : 'Approve'} <Key>A</Key>
        </Button>
      </div>
      <RealMoneySheet
        isOpen={isAsking && mayDecide}
        close={() => setAsking(false)}
        confirm={() => {
          setAsking(false)
          void approve(signal, edit)
        }}
        signal={signal}
        edit={edit}
        account={account}
        now={now}
      />
    </article>
  )
}

const Head = ({ signal, account, now }: Props) => (
  <div className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-b border-line px-4 pt-5 pb-4 desk:px-6">
    <h2 className="flex items-start gap-3 text-xl font-bold text-balance desk:text-2xl">
      <Direction isBuy={isBuy(signal)} isBig />
      <span className="min-w-0 wrap-anywhere">{sentence(signal)}</span>
    </h2>
    <p className="text-right">
      <span className="block text-xs text-muted">to decide</span>
      <span className={`block text-xl font-bold desk:text-2xl ${isLate(signal, now) ? 'text-warn' : ''}`}>
        {signal.validUntil === null ? 'no end' : timeLeft(Date.parse(signal.validUntil) - now)}
      </span>
    </p>
    <p className="text-muted">
      <b className="font-medium text-text">{account?.name ?? 'unknown account'}</b> · {effect(signal)} ·{' '}
      {lifetime(signal)}
    </p>
    {signal.validUntil !== null && (
      <p className="text-right text-xs text-muted">until {marketTime(signal.validUntil)}</p>
    )}
    <p className="col-span-2 text-xs text-muted wrap-anywhere">
      {signal.sourceId === null ? '' : `${signal.sourceId} · `}
      {age(now - Date.parse(signal.createdAt))}
    </p>
    <Note metadata={signal.metadata} />
  </div>
)

/** What the sender wrote along: shown as text, never as anything else. */
function Note({ metadata }: { metadata: Signal['metadata'] }) {
  const notes = Object.entries(metadata ?? {})
  if (notes.length === 0) return null
  return (
    <details className="col-span-2 text-xs text-muted">
      <summary className="py-1">
        Sent along: {notes.length === 1 ? '1 note' : `${notes.length} notes`}
      </summary>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3">
        {notes.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="wrap-anywhere">{name}</dt>
            <dd className="wrap-anywhere text-text">
              {typeof value === 'string' ? value : JSON.stringify(value)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Figures({ signal, account, check, now }: Props & { check: Check | undefined }) {
  const order = check?.dryRun.order
  const price = order?.limitPrice ?? signal.limitPrice
  const cost = order && price !== null ? order.quantity * price : null
  return (
    <dl className="grid grid-cols-2 border-b border-line desk:grid-cols-3">
      <Figure
        label="Order"
        value={order ? `${number(order.quantity)} shares` : '–'}
        note={check ? `checked ${age(now - check.at)}` : 'being checked'}
      />
      <Figure
        label={cost === null ? 'Price' : isBuy(signal) ? 'Costs at most' : 'Brings at least'}
        value={cost === null ? 'the market’s' : money(cost)}
        note={price === null ? 'not limited' : `limit ${money(price)}`}
      />
      <Figure
        label="Left to trade with"
        value={account ? money(account.buyingPower) : '–'}
        note={account?.lastSyncedAt ? `as of ${marketTime(account.lastSyncedAt)}` : ''}
      />
    </dl>
  )
}

const Figure = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <div className="min-w-0 px-4 py-4 not-last:border-line max-desk:last:col-span-2 max-desk:last:border-t max-desk:first:border-r desk:px-6 desk:not-last:border-r">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-lg font-bold wrap-anywhere">{value}</dd>
    <dd className="text-xs text-muted">{note}</dd>
  </div>
)

function Plan({ signal, check, now }: { signal: Signal; check: Check | undefined; now: number }) {
  const exit = exitPlan(signal)
  const session = check?.dryRun.session
  const opens =
    session && !session.isOpen ? `market opens ${bothTimes(session.nextOpen, now)}` : 'as soon as you approve'
  const isOpening = signal.action === 'openLong' || signal.action === 'openShort'
  return (
    <ol className="grid gap-4 border-b border-line px-4 py-4 desk:px-6">
      <Step isNow what={sentence(signal)} when={session?.isOpen ? 'regular session' : ''} why={opens} />
      {exit && (
        <Step
          what={exit.what}
          when={check?.dryRun.exitAt ? bothTimes(check.dryRun.exitAt, now) : ''}
          why={exit.when}
        />
      )}
      {!exit && isOpening && (
        <Step what="No exit is planned" when="" why="The position stays until somebody closes it." />
      )}
    </ol>
  )
}

const Step = ({
  what,
  when,
  why,
  isNow = false,
}: {
  what: string
  when: string
  why: string
  isNow?: boolean
}) => (
  <li className="relative grid grid-cols-[12px_1fr] gap-x-4 desk:grid-cols-[12px_1fr_auto]">
    <span
      className={`mt-1 size-3 rounded-full border-2 ${isNow ? 'border-accent bg-accent' : 'border-edge'}`}
    />
    <p className="font-bold wrap-anywhere">{what}</p>
    <p className="max-desk:col-start-2">{when}</p>
    <p className="col-start-2 text-xs text-muted">{why}</p>
  </li>
)

function Checks({
  check,
  error,
  again,
}: {
  check: Check | undefined
  error: Error | null
  again: () => void
}) {
  if (error)
    return (
      <div className="p-4 desk:px-6">
        <ProblemNotice
          title="It could not be checked"
          problem={error instanceof Problem ? error : noAnswer()}
          again={again}
        />
      </div>
    )
  if (!check)
    return (
      <div aria-hidden="true" className="grid h-24 content-center gap-3 px-6">
        <span className="waiting-shape h-3 w-1/2" />
        <span className="waiting-shape h-3 w-1/3" />
      </div>
    )
  const of = (outcome: string) => check.dryRun.verdicts.filter((verdict) => verdict.outcome === outcome)
  const denied = of('denied')
  const warned = [...of('warned'), ...check.advisories.map(({ code, message }) => ({ rule: code, message }))]
  const passed = of('passed')
  return (
    <div className="grid gap-3 px-4 py-4 desk:px-6">
      {denied.map(({ rule, message }) => (
        <Notice key={rule} kind="danger" title="It would be refused">
          <p className="text-sm wrap-anywhere">{message}</p>
        </Notice>
      ))}
      {warned.map(({ rule, message }) => (
        <p key={rule} className="flex gap-2 wrap-anywhere">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          {message}
        </p>
      ))}
      <details>
        <summary className="flex min-h-11 items-center gap-2 font-bold desk:min-h-6">
          <ShieldCheck aria-hidden="true" className="size-4 text-buy" />
          {passed.length} checks pass
          {warned.length > 0 && `, ${warned.length} to know`}
          <span className="ml-auto text-xs font-normal underline">all {check.dryRun.verdicts.length}</span>
        </summary>
        <ul className="mt-2 grid gap-1.5 desk:grid-cols-2 desk:gap-x-6">
          {passed.map(({ rule, message }) => (
            <li key={rule} className="flex gap-2 wrap-anywhere">
              <CheckIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
              {message}
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

interface EditProps {
  signal: Signal
  edit: Edit
  change: (edit: Edit) => void
  fault: Error | null
}

/** Quantity and limit, checked by the service while somebody types. */
function EditPanel({ signal, edit, change, fault }: EditProps) {
  const faults = fault instanceof Problem ? fault.faults : []
  const faultOf = (field: string) => faults.find((each) => each.field === field)?.message
  return (
    <div className="grid grid-cols-2 gap-3 border-t border-line px-4 py-4 desk:px-6">
      <Field
        label="Quantity"
        inputMode="decimal"
        defaultValue={edit.quantity ?? String(signal.quantity)}
        fault={faultOf('quantity')}
        onChange={(event) => change({ ...edit, quantity: event.target.value })}
      />
      {signal.limitPrice !== null && (
        <Field
          label="Limit, $ a share"
          inputMode="decimal"
          defaultValue={edit.limitPrice ?? String(signal.limitPrice)}
          fault={faultOf('limitPrice')}
          onChange={(event) => change({ ...edit, limitPrice: event.target.value })}
        />
      )}
      <p className="col-span-2 text-xs text-muted">
        Checked as you type; approving sends {verb(signal).toLowerCase()} with these.
      </p>
    </div>
  )
}

const RejectPanel = ({ signal, close }: { signal: Signal; close: () => void }) => (
  <form
    className="grid grid-cols-[1fr_auto] items-end gap-3 border-t border-line px-4 py-4 desk:px-6"
    onSubmit={(event) => {
      event.preventDefault()
      const reason = new FormData(event.currentTarget).get('reason')
      reject(signal, typeof reason === 'string' ? reason.trim() : '')
      close()
    }}
  >
    {/* The panel opened because its person asked to write here. */}
    {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
    <Field label="Reason, if you like" name="reason" maxLength={500} autoFocus />
    <Button type="submit" kind="danger" className="desk:h-9">
      Reject it
    </Button>
  </form>
)
