import { Check, CircleX, Hand, Minus } from 'lucide-react'
import { AccountName } from '../parts/account.tsx'
import { Notice, Warning } from '../parts/notice.tsx'
import { bothTimes } from '../words/times.ts'
import { useNow } from '../parts/time.ts'
import { FaultList } from './fault-list.tsx'
import { accountTrial, trialTitle, type Trial } from './trial-words.ts'

const MARKS = {
  good: <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />,
  plain: <Minus aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />,
  warn: <Hand aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  danger: <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
} as const

export function TrialResult({ trial }: { trial: Trial }) {
  const now = useNow()
  const { faults, advisories, instructions, accounts } = trial
  return (
    <div className="grid gap-3">
      {faults.length > 0 ? (
        <Notice kind="danger" title={trialTitle(trial)}>
          <FaultList faults={faults} />
        </Notice>
      ) : (
        <div>
          <p className="font-bold">{trialTitle(trial)}</p>
          <p className="text-muted wrap-anywhere">
            {instructions.length === 0
              ? trial.message
              : `The strategy wants to ${instructions.map(({ summary }) => summary).join(', then ')}.`}
          </p>
        </div>
      )}
      {accounts.length > 0 && (
        <ul className="grid gap-2" aria-label="For each account">
          {accounts.map((each) => {
            const { text, why, kind } = accountTrial(each)
            return (
              <li key={each.accountId} className="flex gap-2 wrap-anywhere">
                {MARKS[kind]}
                <span className="min-w-0">
                  <b className="font-medium">{text}</b>
                  <span className="text-muted">
                    {' '}
                    · <AccountName id={each.accountId} />
                  </span>
                  {why.map((words) => (
                    <span key={words} className="block text-sm text-muted">
                      {words}
                    </span>
                  ))}
                  {each.dryRun?.exitAt != null && kind !== 'danger' && (
                    <span className="block text-sm text-muted">
                      The exit is sent {bothTimes(each.dryRun.exitAt, now)}
                    </span>
                  )}
                </span>
              </li>
            )
          })}
        </ul>
      )}
      {advisories.map(({ code, message }) => (
        <Warning key={code + message}>{message}</Warning>
      ))}
      <p className="text-xs text-muted">A dry run: nothing was stored or sent.</p>
    </div>
  )
}
