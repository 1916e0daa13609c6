import { instantAfter } from './instants.ts'
import { plannedBy, type PlannedBy } from './calendar/judged.ts'
import type { EntryEnd, ExitMove, ExitPlan, ExitRule } from './exit.ts'
import { contains, isClockAnchored, resolveExitTime, takesOrdersAt } from './exit-time.ts'
import type { TradingSession } from './session.ts'
import { instantToLocal } from './wall-time.ts'

/** Milliseconds: a smaller move of an exit is none, because clocks are compared to a second. */
const NOT_WORTH_A_MOVE = 5_000

export interface ExitPlanning {
  rule: Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>
  entry: EntryEnd
  /** In order, from a day before the entry's end, or before `now`, on. */
  sessions: readonly TradingSession[]
  zone: string
  now: string
  /** Milliseconds by which the broker's clock is ahead of ours. */
  clockOffset: number
  /** UTC by our clock; null for the first planning. */
  plannedFor: string | null
}

interface ExitShift {
  from: string
  /** The exit leaves on a later day of the exchange: the position stays open until then. */
  staysOpen: boolean
}

export interface PlannedExit extends ExitPlan {
  shift: ExitShift | null
  by: PlannedBy | null
}

/**
 * By our clock: at its own time ({@link resolveExitTime}); once that has passed, at once while its session takes
 * the order, else on the next market day. Throws NoSessionForExit.
 */
export function planExitBy(planning: ExitPlanning): PlannedExit {
  const { rule, entry, sessions, zone, now, clockOffset, plannedFor } = planning
  const brokerNow = instantAfter(now, clockOffset)
  const from = plannedFor === null ? null : instantAfter(plannedFor, clockOffset)
  const done = (at: string, reason: ExitMove | null, before: string | null): PlannedExit => {
    const by = plannedBy(sessions, entry.endedAt, at)
    const submitAt = instantAfter(at, -clockOffset)
    const was = before === null ? null : instantAfter(before, -clockOffset)
    if (was === null || isSame(submitAt, was))
      return { submitAt: plannedFor ?? submitAt, reason, shift: null, by }
    const [day, dayBefore] = [dayOf(at), dayOf(before!)]
    const staysOpen = day > dayBefore
    const isEarlier = day === dayBefore && submitAt < was
    const why = staysOpen ? 'exit_rolled_to_next_session' : isEarlier ? 'exit_moved_before_early_close' : null
    return { submitAt, reason: reason ?? why, shift: { from: was, staysOpen }, by }
  }
  const dayOf = (instant: string): string => instantToLocal(instant, zone).date

  if (from !== null && from <= brokerNow && takesOrdersAt(brokerNow, rule, sessions))
    return done(from, null, from)
  const own = resolveExitTime(rule, entry, sessions, zone)
  // The next place follows from the one that has passed: by this moment an exit after the close would be put
  // off by a day every day.
  const again = isClockAnchored(rule) ? rule : ({ ...rule, trigger: 'immediate' } as const)
  let plan = own
  while (plan.submitAt <= brokerNow && !takesOrdersAt(brokerNow, rule, sessions, plan.submitAt)) {
    const endedAt = closeOfSessionAt(plan.submitAt, sessions)
    plan = resolveExitTime(again, { endedAt, filledAt: null }, sessions, zone)
  }
  const before = from ?? (plan === own ? null : own.submitAt)
  if (plan.submitAt > brokerNow || from === null) return done(plan.submitAt, plan.reason, before)
  return done(brokerNow, plan.reason, before)
}

function closeOfSessionAt(at: string, sessions: readonly TradingSession[]): string {
  const session = sessions.find((candidate) => contains(candidate, Date.parse(at)))
  if (session === undefined) throw new TypeError(`${at} is in no session`)
  return session.closesAt
}

const isSame = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < NOT_WORTH_A_MOVE
