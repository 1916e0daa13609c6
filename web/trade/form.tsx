import { useSelector } from '@tanstack/react-form'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { FaultsOfForm } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { ShareCard } from '../signal/share-card.tsx'
import { money, shares as sharesWords } from '../words/figures.ts'
import { isRealMoney, modeOf } from '../words/signal.ts'
import { askedOf } from './asked.ts'
import { textOf, useCheck } from './check.ts'
import { faultIn, refusalOf, wouldWait, type Checked } from './checked.ts'
import { completed, type Draft } from './draft.ts'
import { BasicFields } from './fields.tsx'
import { figuresOf } from './figures.ts'
import { FormState, useTradeForm } from './form-state.ts'
import { judged } from './judged.ts'
import { Outlook } from './outlook.tsx'
import type { OrderDetail } from './requests.ts'
import { Review } from './review.tsx'
import { effectOf, isPaidByCancel, verbOf } from './scene.ts'
import { Sections } from './sections.tsx'
import { sentOf, type Sent } from './sent.ts'
import { usePlacing } from './use-placing.ts'
import { useScene } from './use-scene.tsx'

interface Props {
  /** Name of the form for screen readers. */
  name: string
  initial: Draft
  /** Working order that the form changes; null for a new one. */
  changes?: OrderDetail | null
  onCancelled?: () => void
  hasDefault?: boolean
}

export function TradeForm({
  name,
  initial,
  changes = null,
  onCancelled = () => undefined,
  hasDefault = true,
}: Props) {
  const accounts = useAccounts()
  const isLive = useIsLive()
  const now = useNow()
  const element = useRef<HTMLFormElement>(null)
  const [start] = useState(initial)
  // Request that was submitted before its answer arrived.
  const [wanted, setWanted] = useState<string | null>(null)
  const focusFault = (): void =>
    void requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(),
    )
  const form = useTradeForm({
    defaultValues: start,
    faults: () => (question === null ? undefined : { ...faults, ...questions }),
    onSubmit: () => {
      if (!isLive || isDone) return
      setWanted(text)
      if (refusal !== null && checked !== null) focusFault()
    },
    onSubmitInvalid: focusFault,
  })
  const { asked, ask, state, confirm, close, isDone, isSending, lost, startNew } = usePlacing({
    form,
    changes,
    onCancelled,
  })
  const values = useSelector(form.store, (all) => all.values)
  const isTried = useSelector(form.store, ({ errorMap }) => errorMap.onSubmit !== undefined)
  const draft = completed(values, accounts, hasDefault)
  const account = accounts.get(draft.accountId)
  const { scene, name: symbolName } = useScene(draft)
  const { questions, faults } = judged(draft, scene.held, now)
  const question = Object.values(questions)[0] ?? Object.values(faults)[0] ?? null
  const sent = sentOf(draft, scene.held)
  const text = textOf(sent, draft.sourceId)
  const isPaused = !isLive || asked !== null || isDone
  const answer = useCheck(question === null ? sent : null, isPaused, draft.sourceId)
  const checked = answer?.of === text ? answer : null
  const waits = sent.as === 'signal' && sent.body.executeMode !== 'immediate'
  const figures = figuresOf(draft, scene, checked)
  const isPaid = changes?.accountId === draft.accountId && isPaidByCancel(changes, scene.quote, figures)
  const excused = isPaid ? 'buyingPower' : null
  const run = checked?.dryRun
  const refusal =
    question ??
    (isSending ? 'The last one is still being sent.' : null) ??
    unknownOf(lost, sent, checked) ??
    (changes && run && wouldWait(run) ? WOULD_WAIT : null) ??
    refusalOf(checked, waits, excused)
  if (wanted !== null && (wanted !== text || checked !== null)) {
    setWanted(null)
    if (wanted === text && refusal === null) ask(askedOf({ draft, sent, scene, checked, accounts, now }))
  }
  const faultOf = (field: string): string | undefined =>
    faults[field] ??
    (isTried ? questions[field] : undefined) ??
    (checked === null ? undefined : faultIn(checked, field, excused))
  const verb = verbOf(draft, scene.held)
  return (
    <div
      data-mode={modeOf(account)}
      className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_minmax(320px,400px)]"
    >
      <form
        ref={element}
        noValidate
        aria-label={name}
        onSubmit={(event) => {
          event.preventDefault()
          void form.handleSubmit()
        }}
        className="min-w-0 rounded-card border border-line bg-surface"
      >
        <fieldset disabled={isDone} className="grid min-w-0 grid-cols-1 gap-4 p-4 desk:grid-cols-2">
          <FormState value={form}>
            <FaultsOfForm value={faultOf}>
              <BasicFields
                {...{ draft, scene }}
                name={symbolName}
                sized={
                  run?.order && draft.quantityType !== 'fixed'
                    ? `${sharesWords(run.order.quantity)} shares of ${run.order.symbol}`
                    : ''
                }
              />
              <Sections {...{ draft, scene }} isNew={changes === null} isOpen={start.isSignal} />
            </FaultsOfForm>
          </FormState>
        </fieldset>
        <div className="sticky bottom-16 grid gap-2 rounded-b-card border-t border-line bg-surface p-3 desk:bottom-0 desk:px-4">
          <Button
            type="submit"
            size="big"
            kind={figures.isBuy ? 'buy' : 'sell'}
            disabled={!isLive || isDone}
            aria-disabled={refusal !== null}
            aria-describedby="trade-note"
          >
            {changes ? 'Change to ' : ''}
            {changes ? verb.toLowerCase() : verb} {draft.symbol}
            {account && isRealMoney(account) ? ' with real money' : ''}…
          </Button>
          <p id="trade-note" className="text-center text-xs text-muted empty:hidden">
            {isDone ? 'It was sent.' : isLive ? (refusal ?? inShort(figures)) : 'There is no connection.'}
          </p>
        </div>
      </form>
      <aside aria-label="What it does" className="grid min-w-0 gap-4">
        {lost !== null && <LostNotice of={lost.as} startNew={() => startNew()} />}
        <Outlook
          {...{ draft, sent, scene, checked, isPaid, now }}
          missing={question}
          startNew={() => startNew()}
        />
        {draft.isSignal && sent.as === 'signal' && <ShareCard body={sent.body} />}
      </aside>
      {asked && (
        <Review {...{ asked, changes, state, confirm, close }} account={accounts.get(asked.accountId)} />
      )}
    </div>
  )
}

const WOULD_WAIT =
  'The working order would be cancelled and the new one would wait. Cancel it first if you want that.'

/** Reason to send nothing else while the last request's arrival is unknown; null for none. */
function unknownOf(lost: Sent | null, sent: Sent, checked: Checked | null): string | null {
  if (lost === null) return null
  // Names of signals are unique within an account.
  const accountsOf = ({ body }: Sent): string =>
    JSON.stringify([body.accountId, 'accountIds' in body && body.accountIds])
  if (lost.as !== sent.as || accountsOf(lost) !== accountsOf(sent))
    return `It is unknown whether the ${lost.as} arrived.`
  return lost.as === 'signal' && checked?.problem ? 'It is unknown whether it was sent.' : null
}

/** Notice after a lost answer, with a button for a new request. */
const LostNotice = ({ of, startNew }: { of: Sent['as']; startNew: () => void }) => (
  <Notice kind="warn" title={`It is unknown whether the ${of} arrived`}>
    <p>If it did, this form places nothing else.</p>
    <p className="flex flex-wrap items-center gap-3">
      <Link to={of === 'order' ? '/orders' : '/signals'} className="text-sm underline">
        Look at your {of}s
      </Link>
      <Button onClick={startNew}>Place another order</Button>
    </p>
  </Notice>
)

const inShort = ({ cost, before, after }: ReturnType<typeof figuresOf>): string =>
  [cost !== null && `about ${money(cost)}`, after !== null && effectOf(before, after)]
    .filter(Boolean)
    .join(' · ')
