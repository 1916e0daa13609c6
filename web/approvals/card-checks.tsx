import { ShieldCheck } from 'lucide-react'
import { asProblem } from '../connection/problem.ts'
import { Notice, ProblemNotice, Messages, Warning } from '../parts/notice.tsx'
import { otherAdvisories } from '../words/status.ts'
import { marketTime } from '../words/times.ts'
import type { Check } from './refusal.ts'
import { Verdicts } from '../parts/verdicts.tsx'

/** Rules shown first, in this order; at most {@link VERDICTS_SHOWN} that passed. */
const FIRST = [
  'tradingHalt',
  'buyingPower',
  'maxApprovalDriftPercent',
  'priceCollarPercent',
  'marketHours',
  'maxOrderValue',
  'maxPositionValue',
  'maxDailyLoss',
  'maxOrdersPerDay',
  'position',
  'exitForm',
]
const VERDICTS_SHOWN = 6

/** Denials, warnings and the main checks; the others are folded. */
export function Checks({
  check,
  error,
  again,
}: {
  check: Check | undefined
  error: Error | null
  again: () => void
}) {
  if (error && !check)
    return (
      <div className="p-4 desk:px-6">
        <ProblemNotice title="It could not be checked" problem={asProblem(error)} again={again} />
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
  const told = new Set(check.dryRun.verdicts.map(({ message }) => message))
  const advisories = otherAdvisories(check.advisories).filter(({ message }) => !told.has(message))
  const warned = [...of('warned'), ...advisories.map(({ code, message }) => ({ rule: code, message }))]
  const passed = of('passed')
  const first = FIRST.flatMap((rule) => passed.filter((each) => each.rule === rule)).slice(0, VERDICTS_SHOWN)
  return (
    <div className="grid gap-3 px-4 py-4 desk:px-6">
      {check.notice?.unreachedSince != null && (
        <Notice kind="warn" title="None of your channels was reached">
          They did not take the notification of this signal. Check them under Notifications.
        </Notice>
      )}
      {error && (
        <Notice kind="warn" title={`Last checked at ${marketTime(check.checkedAt)}`}>
          {error.message}
        </Notice>
      )}
      {denied.length > 0 && (
        <Notice kind="danger" title="It would be refused">
          <Messages of={denied} />
        </Notice>
      )}
      {warned.map(({ rule, message }) => (
        <Warning key={rule}>{message}</Warning>
      ))}
      <ul className="grid gap-1.5 desk:grid-cols-2 desk:gap-x-6">
        <Verdicts verdicts={first} />
      </ul>
      <details>
        <summary className="flex min-h-11 items-center gap-2 font-bold desk:min-h-6">
          <ShieldCheck aria-hidden="true" className="size-4 text-buy" />
          {passed.length} checks pass
          {warned.length > 0 && `, ${warned.length} to know`}
          <span className="ml-auto text-xs font-normal underline">all {check.dryRun.verdicts.length}</span>
        </summary>
        <ul className="mt-2 grid gap-1.5 desk:grid-cols-2 desk:gap-x-6">
          <Verdicts verdicts={[...passed.filter((each) => !first.includes(each)), ...of('skipped')]} />
        </ul>
      </details>
    </div>
  )
}
