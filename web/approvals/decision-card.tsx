import { Pencil, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { Problem } from '../connection/problem.ts'
import { Button, Key } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { RealMoneySheet } from '../parts/real-money-sheet.tsx'
import { useShortcuts } from '../parts/shortcuts.ts'
import { money } from '../words/figures.ts'
import { isRealMoney, modeOf, sentence, verb } from '../words/signal.ts'
import { timeLeft } from '../words/times.ts'
import { Checks } from './card-checks.tsx'
import { Figures, Plan } from './card-figures.tsx'
import { Head } from './card-head.tsx'
import { useCheck } from './check.ts'
import { approve, withEdit, type Edit, reject } from './decisions.ts'
import { Expired } from './outcome-card.tsx'
import { TimeBar } from './time-bar.tsx'

type Panel = 'none' | 'edit' | 'reject'

/** In sight however long the card is: above the navigation of the phone, at the end of the desk's page. */
const BAR = 'sticky bottom-16 rounded-b-card border-t border-line bg-surface desk:bottom-0'

interface Props {
  signal: Signal
  account: Account | undefined
  quote: Quote | undefined
  now: number
  /** Called once the card shows all that it knows. */
  onChecked: () => void
}

/** Everything that a decision needs, in the order in which it is asked, and the decision. */
export function DecisionCard({ signal, account, quote, now, onChecked }: Props) {
  const [panel, setPanel] = useState<Panel>('none')
  const [edit, setEdit] = useState<Edit>({})
  const [isAsking, setAsking] = useState(false)
  const isLive = useIsLive()
  const hasExpired = signal.validUntil !== null && Date.parse(signal.validUntil) <= now
  const mayDecide = isLive && !hasExpired
  const check = useCheck(signal, edit, mayDecide)
  const isChecked = check.data !== undefined
  useEffect(() => {
    if (isChecked) onChecked()
  }, [isChecked, onChecked])
  const realMoney = isRealMoney(account)
  const press = (): void => {
    if (!mayDecide) return
    if (realMoney) setAsking(true)
    else void approve(signal, edit)
  }
  const show = (next: Panel) => mayDecide && setPanel(panel === next ? 'none' : next)
  useShortcuts({ a: press, e: () => show('edit'), r: () => show('reject') })
  return (
    <article
      data-mode={modeOf(account)}
      aria-label={sentence(signal)}
      className="relative overflow-clip rounded-card border border-line bg-surface"
    >
      <TimeBar signal={signal} now={now} className="top-0" />
      <Head signal={signal} account={account} now={now} />
      <Figures signal={signal} account={account} check={check.data} quote={quote} now={now} />
      <Plan signal={withEdit(signal, edit)} check={check.data} now={now} />
      <Checks check={check.data} error={check.error} again={() => void check.refetch()} />
      {panel === 'edit' && <EditPanel signal={signal} edit={edit} change={setEdit} fault={check.error} />}
      {panel === 'reject' && <RejectPanel signal={signal} close={() => setPanel('none')} />}
      {hasExpired ? (
        <div className={`${BAR} px-3 py-3 desk:px-6`}>
          <Expired signal={signal} />
        </div>
      ) : (
        <div
          className={`${BAR} grid grid-cols-[1fr_auto_1.5fr] gap-2 p-3 desk:grid-cols-[auto_auto_1fr] desk:px-6 desk:py-4`}
        >
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
            onClick={() => show('edit')}
          >
            <Pencil aria-hidden="true" className="size-4" /> <span className="max-desk:sr-only">Edit</span>{' '}
            <Key>E</Key>
          </Button>
          <Button size="big" kind="primary" disabled={!mayDecide} onClick={press}>
            {realMoney ? 'Approve…' : 'Approve'} <Key>A</Key>
          </Button>
        </div>
      )}
      <RealMoneySheet
        isOpen={isAsking && mayDecide}
        close={() => setAsking(false)}
        confirm={() => void approve(signal, edit)}
        title={sentence(withEdit(signal, edit))}
        verb={verb(signal)}
      >
        {account?.name ?? 'unknown account'}
        {check.data?.cost != null && ` · about ${money(check.data.cost)}`}
        {check.data?.quote?.last != null && ` · price now ${money(check.data.quote.last)}`}
        {signal.validUntil !== null && ` · ${timeLeft(Date.parse(signal.validUntil) - now)} left`}
      </RealMoneySheet>
    </article>
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
        Checked as you type. Approving sends the order with these values.
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
