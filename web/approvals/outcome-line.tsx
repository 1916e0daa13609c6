import { Link } from '@tanstack/react-router'
import { Check, CircleHelp, CircleX, Clock, LoaderCircle, Undo2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Signal } from '#client/types.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { Button, Key } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAccounts } from '../records/accounts.ts'
import { Continued } from '../signal/continued.tsx'
import { filledSentence, headline } from '../words/signal.ts'
import { marketTime, secondIn, shortTime } from '../words/times.ts'
import { dismiss, undo, type Decided } from './decisions.ts'

interface Props {
  decided: Decided
  now: number
  className?: string
}

export function OutcomeLine({ decided, now, className = '' }: Props) {
  const { signal, outcome, at } = decided
  const { icon, title, text, note } = wordsOf(decided, now)
  const accounts = useAccounts()
  return (
    <article
      aria-label={`Outcome: ${headline(signal)}`}
      className={`flex items-start gap-2 rounded-card border border-line bg-surface py-1 pr-1 pl-3 ${className}`}
    >
      <span className="grid h-11 place-items-center desk:h-8">{ICONS[icon]}</span>
      <div className="min-w-0 grow py-2.5 desk:py-1.5" aria-live="polite">
        <span className="mr-2 text-muted">{secondIn(at, 'market')}</span>
        <h3 className="mr-2 inline-block font-bold wrap-break-word">{title}</h3>
        {accounts.size > 1 && (
          <span className="mr-2 text-muted">{accounts.get(signal.accountId)?.name ?? 'unknown account'}</span>
        )}
        <span className="wrap-break-word">{text}</span>
        {outcome.is === 'done' && signal.continuedBy != null && (
          <p>
            Then: <Continued id={signal.continuedBy} />
          </p>
        )}
        {note !== undefined && <p className="text-xs text-muted wrap-break-word">{note}</p>}
      </div>
      {outcome.is === 'undoable' ? (
        <Button onClick={() => undo(signal.id)}>
          <Undo2 aria-hidden="true" className="size-4" /> Undo ·{' '}
          {Math.max(0, Math.floor((outcome.until - now) / 1_000))} s <Key>U</Key>
        </Button>
      ) : (
        <Ways decided={decided} />
      )}
    </article>
  )
}

function Ways({ decided: { signal, outcome } }: { decided: Decided }) {
  const isUnderWay =
    outcome.is === 'sending' || (outcome.is === 'unknown' && outcome.stillWaitedAt === undefined)
  return (
    <>
      <Link
        to="/signals/$id"
        params={{ id: signal.id }}
        className="flex h-11 items-center px-2 underline desk:h-8"
      >
        Story
      </Link>
      {outcome.is === 'unknown' && !isUnderWay ? (
        <Button onClick={() => dismiss(signal.id)}>Show it again</Button>
      ) : (
        !isUnderWay && (
          <button
            type="button"
            aria-label={`Dismiss ${headline(signal)}`}
            onClick={() => dismiss(signal.id)}
            className="grid size-11 shrink-0 place-items-center rounded-control hover:bg-sunken desk:size-8"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        )
      )}
    </>
  )
}

const ICONS = {
  good: <Check aria-hidden="true" className="size-4 text-buy" />,
  rejected: <X aria-hidden="true" className="size-4 text-danger" />,
  bad: <CircleX aria-hidden="true" className="size-4 text-danger" />,
  unsure: <CircleHelp aria-hidden="true" className="size-4 text-warn" />,
  late: <Clock aria-hidden="true" className="size-4 text-warn" />,
  busy: <LoaderCircle aria-hidden="true" className="size-4 animate-spin text-accent" />,
} as const

interface Words {
  icon: keyof typeof ICONS
  title: string
  text: ReactNode
  note?: string
}

function wordsOf({ signal, outcome }: Decided, now: number): Words {
  const title = signal.filledQuantity > 0 ? filledSentence(signal) : headline(signal)
  switch (outcome.is) {
    case 'undoable':
      return { icon: 'rejected', title, text: `Rejected${because(outcome.reason)}` }
    case 'sending':
      // The record may arrive before the answer.
      if (outcome.decision === 'approve' && signal.status === 'executed') return approved(signal, title, now)
      return { icon: 'busy', title, text: outcome.decision === 'approve' ? 'Sending…' : 'Rejecting…' }
    case 'unknown':
      return {
        icon: 'unsure',
        title,
        text: 'Unknown yet: the answer did not arrive.',
        note:
          `${outcome.decision === 'approve' ? 'Your approval' : 'Your rejection'} may have arrived or may still arrive. This updates automatically.` +
          (outcome.stillWaitedAt === undefined
            ? ''
            : ` At ${marketTime(outcome.stillWaitedAt)} the signal still waited. Deciding again is safe: the first decision that arrives counts, and nothing is sent twice.`),
      }
    case 'refused':
      return { icon: 'unsure', title, text: 'Not accepted. It still waits.', note: outcome.message }
    case 'rejected':
      return {
        icon: 'bad',
        title,
        text: `Not sent: ${outcome.problem.code}`,
        note: `${outcome.problem.message}. Nothing was sent to the broker; the sender may send it again.`,
      }
    case 'failed':
      return { icon: 'bad', title, text: 'Nothing was done.', note: outcome.problem.message }
    case 'expired':
      return { icon: 'late', title, text: expiredAt(signal) }
    case 'faster':
      return {
        icon: 'unsure',
        title,
        text: `${outcome.message}.`,
        note: outcome.hadDecided ? 'Your decision changed nothing.' : 'It was decided elsewhere.',
      }
    case 'done':
      return outcome.decision === 'reject'
        ? { icon: 'rejected', title, text: `Rejected${because(reasonOf(signal))}. Nothing was sent.` }
        : approved(signal, title, now)
  }
}

const because = (reason: string): string => (reason === '' ? '' : `: ${reason}`)

/** The person's reason; the service writes a name where they gave none. */
const reasonOf = ({ statusDetail, decidedBy }: Signal): string =>
  statusDetail === null || statusDetail === `Declined by ${decidedBy}` ? '' : statusDetail

function approved(signal: Signal, title: string, now: number): Words {
  const { status, exit } = signal
  if (isFailed(status))
    return {
      icon: 'bad',
      title,
      text: `It is ${status}.`,
      ...(signal.statusDetail && { note: signal.statusDetail }),
    }
  const closes = exit?.submitAt == null ? '' : `exit ${shortTime(exit.submitAt, now)}`
  // A fill is the broker's answer, regardless of other lookups.
  if (signal.filledQuantity > 0) return { icon: 'good', title, text: closes === '' ? '' : `· ${closes}` }
  if (status === 'transmitted' || status === 'queued')
    return {
      icon: 'busy',
      title,
      text: 'Sent. The broker has not answered yet.',
      note: 'Do not send it again: nothing is sent twice. This updates automatically.',
    }
  return { icon: 'good', title, text: 'Working at the broker' }
}

const expiredAt = ({ validUntil }: Signal): string =>
  `Expired at ${marketTime(validUntil ?? '')}. Nothing was sent.`

export const Expired = ({ signal }: { signal: Signal }) => <Notice kind="warn" title={expiredAt(signal)} />
