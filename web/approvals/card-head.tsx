import { Hand } from 'lucide-react'
import type { Account, Signal } from '#client/types.ts'
import { Direction } from '../parts/direction.tsx'
import { age, marketTime, timeLeft } from '../words/times.ts'
import { isLate } from './time-bar.tsx'
import { heldBecause } from '../words/status.ts'
import { effect, isBuy, lifetime, modeOf, sentence } from '../words/signal.ts'
import { Live } from '../parts/account.tsx'

interface Props {
  signal: Signal
  account: Account | undefined
  now: number
}

export const Head = ({ signal, account, now }: Props) => (
  <div className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 border-b border-line px-4 pt-5 pb-4 desk:px-6">
    <h2
      tabIndex={-1}
      className="flex scroll-mt-24 items-start gap-3 text-xl font-bold text-balance desk:text-2xl"
    >
      <Direction isBuy={isBuy(signal)} isBig />
      <span className="min-w-0 wrap-break-word">{sentence(signal)}</span>
    </h2>
    <p className="text-right">
      <span className={`block text-xl font-bold desk:text-2xl ${isLate(signal, now) ? 'text-warn' : ''}`}>
        {signal.validUntil === null ? 'no time limit' : timeLeft(Date.parse(signal.validUntil) - now)}
      </span>
      <span className="sr-only">to decide</span>
    </p>
    <p className="col-span-2 text-muted">
      {modeOf(account) === 'live' && <Live />}
      <b className="font-medium text-text">{account?.name ?? 'unknown account'}</b> · {effect(signal)}
      <span className="max-desk:hidden"> · {lifetime(signal)}</span>
    </p>
    <p className="col-span-2 text-xs text-muted wrap-anywhere">
      {[
        signal.sentBy ?? 'unknown sender',
        signal.sourceId,
        age(now - Date.parse(signal.createdAt)),
        signal.validUntil && `until ${marketTime(signal.validUntil)}`,
      ]
        .filter((text) => text !== null)
        .join(' · ')}
    </p>
    <Held because={heldBecause(signal)} />
    <Note metadata={signal.metadata} />
  </div>
)

/** Reason for approval: the sender wanted none, but a limit of the account requires it. */
const Held = ({ because }: { because: string | null }) =>
  because === null ? null : (
    <p className="col-span-2 flex gap-2 wrap-anywhere">
      <Hand aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
      <span>
        <b className="font-bold">Above your approval limit.</b> {because}.
      </span>
    </p>
  )

/** Metadata of the sender, shown as text only. */
function Note({ metadata }: { metadata: Signal['metadata'] }) {
  const notes = Object.entries(metadata ?? {})
  if (notes.length === 0) return null
  return (
    <details className="col-span-2 text-xs text-muted">
      <summary className="py-1">
        From the sender: {notes.length === 1 ? '1 note' : `${notes.length} notes`}
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
