import { Link } from '@tanstack/react-router'
import { number } from '../words/figures.ts'
import { newYorkDayHere } from './new-york-day.ts'
import { useSummary } from './money.tsx'

const LINK = 'inline-flex min-h-11 items-center underline desk:min-h-6'

export function SignalsToday({ now }: { now: number }) {
  const { data } = useSummary()
  if (!data) return null
  const from = newYorkDayHere(now)
  const { executedToday: executed, refusedToday: refused, pendingSignals: waiting } = data
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-3 px-1 text-muted">
      <span>Signals today:</span>
      <Link to="/signals" search={{ status: 'executed', from }} className={LINK}>
        {number(executed)} executed
      </Link>
      <Link to="/approvals" search={{}} className={LINK}>
        {number(waiting)} {waiting === 1 ? 'waits' : 'wait'}
      </Link>
      <Link to="/signals" search={{ status: 'rejected,error', from }} className={LINK}>
        {number(refused)} refused
      </Link>
    </p>
  )
}
