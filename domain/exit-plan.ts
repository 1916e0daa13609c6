import { plannedBy, type PlannedBy } from './calendar/judged.ts'
import type { EntryEnd, ExitMove, ExitPlan, ExitRule } from './exit.ts'
import { isClockAnchored, resolveExitTime, takesOrdersAt } from './exit-time.ts'
import type { TradingSession } from './session.ts'
import { instantToLocal } from './wall-time.ts'

/** An exit that would be moved by no more than this stays where it is, in milliseconds: clocks are compared to a second. */
const NOT_WORTH_A_MOVE = 5_000

export interface ExitPlanning {
  rule: Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>
  /** By the broker's clock. */
  entry: EntryEnd
  /** The broker's sessions in order, from a day before the entry's end, or before `now`, on. */
  sessions: readonly TradingSession[]
  /** IANA zone of the broker, in which `clockTime` is meant. */
  zone: string
  /** UTC instant by our clock. */
  now: string
  /** Milliseconds by which the broker's clock is ahead of ours. */
  clockOffset: number
  /** What the exit was planned for, a UTC instant by our clock; null when it is planned for the first time. */
  plannedFor: string | null
}

/** An exit leaves its place. */
export interface ExitShift {
  /** What it was planned for, by our clock. */
  from: string
  /** It leaves on a later day of the exchange: the position stays open until then. */
  staysOpen: boolean
}

export interface PlannedExit extends ExitPlan {
  /** Null when it leaves when it was planned for, or is planned for the first time. */
  shift: ExitShift | null
  /** The part of the calendar that it is planned by. */
  by: PlannedBy | null
}

/**
 * When an exit leaves, by our clock, as the calendar of this moment says: at its own time ({@link resolveExitTime}). Where
 * that has passed: at once while its session still takes the order; else on the next market day by its own rule, at the
 * trigger's own time where that is one of the day, and at the opening otherwise. It is the same for an exit that is planned
 * for the first time, for one whose calendar has changed since, and for one that missed its session.
 *
 * @throws NoSessionForExit when no session given is late enough
 */
export function planExitBy(planning: ExitPlanning): PlannedExit {
  const { rule, entry, sessions, zone, now, clockOffset, plannedFor } = planning
  const brokerNow = shifted(now, clockOffset)
  const from = plannedFor === null ? null : shifted(plannedFor, clockOffset)
  const done = (at: string, reason: ExitMove | null, before: string | null): PlannedExit => {
    const by = plannedBy(sessions, entry.endedAt, at)
    const submitAt = shifted(at, -clockOffset)
    const was = before === null ? null : shifted(before, -clockOffset)
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
  if (own.submitAt > brokerNow) return done(own.submitAt, own.reason, from)
  if (takesOrdersAt(brokerNow, rule, sessions, own.submitAt))
    return done(from === null ? own.submitAt : brokerNow, own.reason, from)
  const next = isClockAnchored(rule)
    ? resolveExitTime(rule, { endedAt: brokerNow, filledAt: null }, sessions, zone)
    : resolveExitTime(
        { ...rule, trigger: 'immediate' },
        { endedAt: brokerNow, filledAt: null },
        sessions,
        zone,
      )
  return done(next.submitAt, next.reason, from ?? own.submitAt)
}

const isSame = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < NOT_WORTH_A_MOVE

const shifted = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString()
