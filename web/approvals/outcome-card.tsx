import { Check, CircleHelp, LoaderCircle, Undo2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Account, Signal } from '#client/types.ts'
import { Button, Key } from '../parts/button.tsx'
import { Direction } from '../parts/direction.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { filledSentence, headline, isBuy } from '../words/signal.ts'
import { bothTimes, marketTime } from '../words/times.ts'
import { dismiss, undo, type Decided } from './decisions.ts'

interface Props {
  decided: Decided
  account: Account | undefined
  now: number
}

/** What came of a decision, where the card stood that it was taken on. */
export const OutcomeCard = ({ decided, account, now }: Props) => (
  <article
    aria-label={`Outcome: ${headline(decided.signal)}`}
    className="grid gap-3 rounded-card border border-line bg-surface p-4 desk:p-5"
  >
    <div>
      <h2 className="flex items-center gap-2 text-lg font-bold">
        <Direction isBuy={isBuy(decided.signal)} />
        <span className="min-w-0 wrap-anywhere">{titleOf(decided)}</span>
      </h2>
      <p className="text-xs text-muted">
        {account?.name}
        {decided.signal.exit?.submitAt != null && ` · exit ${bothTimes(decided.signal.exit.submitAt, now)}`}
      </p>
    </div>
    <div aria-live="polite">
      <What decided={decided} now={now} />
    </div>
  </article>
)

const titleOf = ({ signal }: Decided): string =>
  signal.filledQuantity > 0 ? filledSentence(signal) : headline(signal)

function What({ decided: { signal, outcome }, now }: { decided: Decided; now: number }) {
  const close = (
    <Button onClick={() => dismiss(signal.id)} className="shrink-0 justify-self-start">
      Dismiss
    </Button>
  )
  const told = (what: ReactNode) => (
    <div className="grid gap-3">
      {what}
      {close}
    </div>
  )
  switch (outcome.is) {
    case 'undoable':
      return (
        <Line icon={<X aria-hidden="true" className="size-4 text-danger" />} text="Rejected">
          <Button onClick={() => undo(signal.id)}>
            <Undo2 aria-hidden="true" className="size-4" /> Undo ·{' '}
            {Math.max(0, Math.floor((outcome.until - now) / 1_000))} s <Key>U</Key>
          </Button>
        </Line>
      )
    case 'sending':
      return (
        <Line
          icon={<LoaderCircle aria-hidden="true" className="size-4 animate-spin text-accent" />}
          text={outcome.decision === 'approve' ? 'Sending…' : 'Rejecting…'}
        />
      )
    case 'unknown':
      return (
        <div className="grid gap-3">
          <Notice kind="warn" title="Unknown yet: the answer did not arrive">
            {outcome.decision === 'approve' ? 'Your approval' : 'Your rejection'} may have arrived or may
            still arrive. This changes by itself as soon as the record tells.
            {outcome.stillWaitedAt !== undefined &&
              ` At ${marketTime(outcome.stillWaitedAt)} the signal still waited. Deciding again is safe: the first decision that arrives counts, and nothing is sent twice.`}
          </Notice>
          {outcome.stillWaitedAt !== undefined && (
            <Button onClick={() => dismiss(signal.id)} className="justify-self-start">
              Show it again
            </Button>
          )}
        </div>
      )
    case 'rejected':
      return told(
        <>
          <ProblemNotice title={`Not sent: ${outcome.problem.code}`} problem={outcome.problem} />
          <p className="text-sm text-muted">Nothing was sent to the broker. The sender may send it anew.</p>
        </>,
      )
    case 'failed':
      return told(<ProblemNotice title="Nothing was done" problem={outcome.problem} />)
    case 'expired':
      return told(<Expired signal={signal} />)
    case 'faster':
      return told(
        <Notice kind="info" title={outcome.message}>
          {outcome.hadDecided ? 'Your decision changed nothing.' : 'It was decided elsewhere.'}
        </Notice>,
      )
    case 'done':
      return outcome.decision === 'reject' ? (
        <Line
          icon={<X aria-hidden="true" className="size-4 text-danger" />}
          text="Rejected. Nothing was sent."
        >
          {close}
        </Line>
      ) : signal.status === 'transmitted' || signal.status === 'queued' ? (
        <Notice kind="warn" title="Sent. The broker has not answered yet">
          Do not send it again: nothing is sent twice. This changes by itself.
        </Notice>
      ) : (
        <Approved decided={{ signal, outcome }}>{close}</Approved>
      )
  }
}

function Approved({ decided: { signal, outcome }, children }: { decided: Decided; children: ReactNode }) {
  if (signal.status !== 'executed')
    return (
      <div className="grid gap-3">
        <Notice kind="danger" title={`It is ${signal.status}`}>
          {signal.statusDetail}
        </Notice>
        {children}
      </div>
    )
  const took =
    outcome.is === 'done' && Number.isFinite(outcome.tookMs)
      ? `answered in ${Math.round(outcome.tookMs)} ms`
      : ''
  const icon =
    signal.filledQuantity > 0 ? (
      <Check aria-hidden="true" className="size-4 text-buy" />
    ) : (
      <CircleHelp aria-hidden="true" className="size-4 text-accent" />
    )
  return (
    <Line
      icon={icon}
      text={`${signal.filledQuantity > 0 ? 'Filled' : 'Works at the broker'}${took === '' ? '' : ` · ${took}`}`}
    >
      {children}
    </Line>
  )
}

const Line = ({ icon, text, children }: { icon: ReactNode; text: string; children?: ReactNode }) => (
  <div className="flex min-h-11 flex-wrap items-center gap-2 border-t border-line pt-3">
    {icon}
    <span className="min-w-0 flex-1">{text}</span>
    {children}
  </div>
)

/** Nobody decided in time. */
export const Expired = ({ signal }: { signal: Signal }) => (
  <Notice kind="warn" title={`Expired at ${marketTime(signal.validUntil ?? '')}. Nothing was sent.`} />
)
