import { useRef } from 'react'
import type { Account, Signal } from '#client/types.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { money } from '../words/figures.ts'
import { timeLeft } from '../words/times.ts'
import type { Check } from './check.ts'
import { withEdit, type Edit } from './decisions.ts'
import { sentence, verb } from '../words/signal.ts'

interface Props {
  isOpen: boolean
  close: () => void
  confirm: () => void
  signal: Signal
  edit: Edit
  account: Account | undefined
  check: Check | undefined
  now: number
}

/** Real money is never spent by one press: a second button, in another place, says what it does. */
export const RealMoneySheet = ({ isOpen, close, confirm, signal, edit, account, check, now }: Props) => {
  const goBack = useRef<HTMLButtonElement>(null)
  return (
    <Sheet
      initialFocus={goBack}
      isOpen={isOpen}
      close={close}
      title={`${sentence(withEdit(signal, edit))} with real money?`}
    >
      <p>
        <ModePill isLive />
      </p>
      <p className="text-muted">
        {account?.name ?? 'unknown account'}
        {check?.cost != null && ` · about ${money(check.cost)}`}
        {check?.quote?.last != null && ` · price now ${money(check.quote.last)}`}
        {signal.validUntil !== null && ` · ${timeLeft(Date.parse(signal.validUntil) - now)} left`}
      </p>
      <div data-mode="live" className="grid grid-cols-[3fr_2fr] gap-2">
        <Button size="big" kind="primary" className="max-desk:whitespace-normal" onClick={confirm}>
          {verb(signal)} with real money
        </Button>
        <Button ref={goBack} size="big" onClick={close}>
          Go back
        </Button>
      </div>
    </Sheet>
  )
}
