import { Pencil, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { useStore } from '../connection/store.ts'
import { Button, Key } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { RealMoneySheet } from '../parts/real-money-sheet.tsx'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useHalts } from '../records/halts.ts'
import { money } from '../words/figures.ts'
import { isRealMoney, modeOf, sentence, verb } from '../words/signal.ts'
import { timeLeft } from '../words/times.ts'
import { Checks } from './card-checks.tsx'
import { Figures, Plan } from './card-figures.tsx'
import { Head } from './card-head.tsx'
import { EditPanel, mayEdit, RejectPanel, type Editable } from './card-panels.tsx'
import { useCheck } from './check.ts'
import { useDeaf } from './deaf.ts'
import { approve, decisions, withEdit, type Edit } from './decisions.ts'
import { Expired } from './outcome-line.tsx'
import { refusalOf } from './refusal.ts'
import { RefusalLine } from './refusal-line.tsx'
import { TimeBar } from './time-bar.tsx'

type Panel = 'none' | 'edit' | 'reject'

/** Sticky where the window is high enough: above the phone's navigation, or at the page's end. */
const BAR = 'sticky bottom-16 rounded-b-card border-t border-line bg-surface desk:bottom-0 short:static'

interface Props {
  signal: Signal
  account: Account | undefined
  quote: Quote | undefined
  now: number
  /** The card has replaced another one by itself, for which a press may be meant. */
  comesByItself: boolean
  /** The replaced card had the focus, which users of keyboards and screen readers need. */
  takesFocus: boolean
  /** Called once the card shows its check. */
  onChecked: () => void
  /** Called on a decision; call its result after the answer, with whether the card had the focus. */
  decide: () => (hadFocus: boolean) => void
}

export function DecisionCard({
  signal,
  account,
  quote,
  now,
  comesByItself,
  takesFocus,
  onChecked,
  decide,
}: Props) {
  const card = useRef<HTMLElement>(null)
  const hasFocus = (): boolean => card.current?.contains(document.activeElement) ?? false
  useEffect(() => {
    if (takesFocus) card.current?.querySelector('h2')?.focus()
  }, [takesFocus])
  const reasonId = useId()
  const [panel, setPanel] = useState<Panel>('none')
  const [focus, setFocus] = useState<Editable>()
  const [edit, setEdit] = useState<Edit>({})
  const [isAsking, setAsking] = useState(false)
  const isLive = useIsLive()
  const decided = useStore(decisions).get(signal.id)
  const isSending = decided?.outcome.is === 'sending'
  const hasExpired = signal.validUntil !== null && Date.parse(signal.validUntil) <= now
  const isDeaf = useDeaf(comesByItself)
  const mayDecide = isLive && !hasExpired && !isSending && !isDeaf
  const check = useCheck(signal, edit, isLive && !hasExpired && !isSending, quote)
  const isChecked = check.data !== undefined
  useEffect(() => {
    if (isChecked) onChecked()
  }, [isChecked, onChecked])
  const halts = useHalts()
  const standing = halts.map(({ id, level }) => id + level).join()
  const { refetch } = check
  // A set or lifted halt changes the check at once.
  useEffect(() => {
    if (isChecked && isLive) void refetch()
    // The first check needs no refetch.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [standing])
  const refusal = refusalOf(check.data)
  const realMoney = isRealMoney(account)
  const send = (): void => {
    // A disabled button loses the focus.
    const hadFocus = hasFocus()
    const goOn = decide()
    void approve(signal, edit).then(() => goOn(hadFocus))
  }
  const press = (): void => {
    if (!mayDecide || refusal !== null) return
    if (realMoney) setAsking(true)
    else send()
  }
  const show = (next: Panel, field?: Editable): void => {
    if (!mayDecide) return
    setFocus(field)
    setPanel(panel === next && field === undefined ? 'none' : next)
  }
  const canEdit = mayEdit(signal)
  useShortcuts({ a: press, e: () => canEdit && show('edit'), r: () => show('reject') })
  const edited = withEdit(signal, edit)
  return (
    <article
      ref={card}
      data-mode={modeOf(account)}
      aria-label={sentence(signal)}
      className="relative overflow-clip rounded-card border border-line bg-surface"
    >
      <TimeBar signal={signal} now={now} className="top-0" />
      <Head signal={edited} account={account} now={now} />
      {decided?.outcome.is === 'refused' && (
        <div role="alert" className="px-4 pt-4 desk:px-6">
          <Notice
            kind="warn"
            title="Your approval was not accepted. The signal still waits; nothing was sent."
          >
            {decided.outcome.message}
          </Notice>
        </div>
      )}
      <Figures signal={signal} account={account} check={check.data} quote={quote} now={now} />
      <Plan signal={edited} check={check.data} quote={quote} now={now} />
      <Checks check={check.data} error={check.error} again={() => void check.refetch()} />
      {panel === 'edit' && (
        <EditPanel signal={signal} edit={edit} focus={focus} change={setEdit} fault={check.error} />
      )}
      {panel === 'reject' && (
        <RejectPanel
          signal={signal}
          done={() => {
            setPanel('none')
            decide()(hasFocus())
          }}
        />
      )}
      {hasExpired ? (
        <div className={`${BAR} px-3 py-3 desk:px-6`}>
          <Expired signal={signal} />
        </div>
      ) : (
        <div className={`${BAR} grid gap-2 p-3 desk:px-6 desk:py-4`}>
          {refusal && (
            <RefusalLine
              id={reasonId}
              refusal={refusal}
              canEdit={(field) => mayEdit(signal, field)}
              edit={(field) => show('edit', field)}
            />
          )}
          {!canEdit && (
            <p className="text-xs text-muted">Nothing to edit: the target position sets the size.</p>
          )}
          <div className="grid grid-cols-[1fr_auto_1.5fr] gap-2 desk:grid-cols-[auto_auto_1fr]">
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
              disabled={!mayDecide || !canEdit}
              aria-expanded={panel === 'edit'}
              onClick={() => show('edit')}
            >
              <Pencil aria-hidden="true" className="size-4" /> <span className="max-desk:sr-only">Edit</span>{' '}
              <Key>E</Key>
            </Button>
            <Button
              size="big"
              kind="primary"
              disabled={!mayDecide}
              aria-disabled={refusal !== null}
              aria-describedby={refusal ? reasonId : undefined}
              onClick={press}
            >
              {isSending ? 'Sending…' : realMoney ? 'Approve…' : 'Approve'} <Key>A</Key>
            </Button>
          </div>
        </div>
      )}
      <RealMoneySheet
        isOpen={isAsking && mayDecide}
        close={() => setAsking(false)}
        confirm={send}
        title={sentence(edited)}
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
