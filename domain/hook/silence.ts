import { NYSE_ZONE } from '../calendar/nyse.ts'
import type { TradingSession } from '../session.ts'
import { addMinutes, localToInstant } from '../wall-time.ts'
import type { Expectation } from './expectation.ts'

/** A time in which something was expected of a sender. UTC instants. */
export interface DueTime {
  /** The day of the session. */
  session: string
  /** What came from then on counts. */
  from: string
  /** Until then it was to come. */
  until: string
}

/** What comes at 10:00:40 has come by 10:00. */
const WITHIN_THE_MINUTE = 1

/**
 * The last time that is over in which something was expected; null while there is none since the rule holds.
 *
 * @param sessions in order, reaching back beyond any closure of the exchange
 * @param since UTC instant from which on the rule holds
 * @param now UTC instant
 */
export function lastDue(
  expects: Expectation,
  sessions: readonly TradingSession[],
  { since, now }: { since: string; now: string },
): DueTime | null {
  const [at, begin] = [Date.parse(now), Date.parse(since)]
  const due = lastBefore(at, expects, sessions)
  if (due === null) return null
  // Of a day that had begun before the rule was made, less than a whole one is left.
  const isJudged = 'everySession' in expects ? Date.parse(due.until) > begin : Date.parse(due.from) >= begin
  return isJudged ? due : null
}

function lastBefore(at: number, expects: Expectation, sessions: readonly TradingSession[]): DueTime | null {
  const today = new Date(at).toISOString().slice(0, 10)
  for (let index = sessions.length - 1; index >= 0; index -= 1) {
    const session = sessions[index]!
    // Of a day that has not begun in UTC nothing is over in New York.
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
