import { CircleX } from 'lucide-react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { Direction } from '../parts/direction.tsx'
import { money, percent } from '../words/figures.ts'
import { timeLeft } from '../words/times.ts'
import type { Halt } from '../words/halts.ts'
import { useKnownCheck } from './check.ts'
import { movedPercent } from './prices.ts'
import { knownRefusal } from './refusal.ts'
import { isLate, TimeBar } from './time-bar.tsx'
import { priceWords } from '../words/order.ts'
import { headline, isBuy, modeOf } from '../words/signal.ts'
import { Live } from '../parts/account.tsx'

interface Props {
  signal: Signal
  account: Account | undefined
  quote: Quote | undefined
  now: number
  isCurrent: boolean
  /** Null without a selection: a press then opens the row instead. */
  isPicked: boolean | null
  halts: readonly Halt[]
  select: () => void
  pick: () => void
}

export const QueueRow = ({
  signal,
  account,
  quote,
  now,
  isCurrent,
  isPicked,
  halts,
  select,
  pick,
}: Props) => (
  <li
    data-mode={modeOf(account)}
    className={`relative flex overflow-clip rounded-card border bg-surface ${isCurrent ? 'border-accent ring-1 ring-accent' : 'border-line'} ${isCurrent && isPicked === null ? 'max-wide:hidden' : ''}`}
  >
    {isPicked !== null && (
      <label className="grid w-11 place-items-center">
        <input
          type="checkbox"
          checked={isPicked}
          onChange={pick}
          className="size-5"
          aria-label={`Select ${headline(signal)}`}
        />
      </label>
    )}
    <button
      type="button"
      onClick={isPicked === null ? select : pick}
      aria-current={isCurrent}
      className="grid min-w-0 grow grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 px-4 py-3 text-left"
    >
      <span className="flex min-w-0 items-center gap-2 font-bold">
        <Direction isBuy={isBuy(signal)} />
        <span className="truncate">{headline(signal)}</span>
      </span>
      <span className={`text-right font-bold ${isLate(signal, now) ? 'text-warn' : ''}`}>
        {signal.validUntil === null ? 'no time limit' : timeLeft(Date.parse(signal.validUntil) - now)}
      </span>
      <span className="truncate text-xs text-muted">
        {modeOf(account) === 'live' && <Live />}
        {account?.name ?? 'unknown account'} · {priceWords(signal)}
      </span>
      <span className="text-right text-xs text-muted">
        {quote?.last != null && money(quote.last)} <Moved signal={signal} quote={quote} />
      </span>
      <WouldBeRefused signal={signal} halts={halts} />
    </button>
    <TimeBar signal={signal} now={now} className="bottom-0" />
  </li>
)

/** Denial known without a request, from the last check or a halt. */
function WouldBeRefused({ signal, halts }: { signal: Signal; halts: readonly Halt[] }) {
  const why = knownRefusal(signal, useKnownCheck(signal), halts)
  return why === null ? null : (
    <span className="col-span-2 flex items-center gap-1.5 text-xs text-danger">
      <CircleX aria-hidden="true" className="size-3.5 shrink-0" />
      would be refused{why === '' ? '' : `: ${why}`}
    </span>
  )
}

const Moved = ({ signal, quote }: { signal: Signal; quote: Quote | undefined }) => {
  const moved = movedPercent(signal, quote)
  return moved === null ? null : <span className="text-text">{percent(moved)}</span>
}
