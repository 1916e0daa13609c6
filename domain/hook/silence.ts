import { NYSE_ZONE } from '../time/nyse.ts'
import type { TradingSession } from '../time/session.ts'
import { addMinutes, localToInstant } from '../time/wall-time.ts'
import type { Expectation } from './expectation.ts'

export interface DueTime {
  session: string
  from: string
  until: string
}

/** Minutes: a message of 10:00:40 counts for 10:00. */
const WITHIN_THE_MINUTE = 1

/** Null before the first due time. `sessions` reach back beyond any closure. */
export function lastDue(
  expects: Expectation,
  sessions: readonly TradingSession[],
  { since, now }: { since: string; now: string },
): DueTime | null {
  const [at, begin] = [Date.parse(now), Date.parse(since)]
  const due = lastBefore(at, expects, sessions)
  if (due === null) return null
  // A day begun before the rule is incomplete.
  const isJudged = 'everySession' in expects ? Date.parse(due.until) > begin : Date.parse(due.from) >= begin
  return isJudged ? due : null
}

function lastBefore(at: number, expects: Expectation, sessions: readonly TradingSession[]): DueTime | null {
  const today = new Date(at).toISOString().slice(0, 10)
  for (let index = sessions.length - 1; index >= 0; index -= 1) {
    const session = sessions[index]!
    // A day not begun in UTC has not ended in New York.
    if (session.date > today) continue
    const due = timeOf(expects, session, sessions[index - 1])
    if (due !== null && Date.parse(due.until) <= at) return due
  }
  return null
}

function timeOf(
  expects: Expectation,
  { date, closesAt }: TradingSession,
  before: TradingSession | undefined,
): DueTime | null {
  if ('everySession' in expects) {
    const [from, until] = ['00:00', expects.everySession].map((time) =>
      localToInstant(`${date}T${time}`, NYSE_ZONE),
    ) as [string, string]
    return { session: date, from, until: addMinutes(until, WITHIN_THE_MINUTE) }
  }
  return before ? { session: date, from: before.closesAt, until: closesAt } : null
}
