import type { EntryEnd, ExitSchedule, ExitRule, ExitTrigger, ExitMove } from './exit.ts'
import { AUCTION_CUT_OFF_MS, type TradingSession } from '../time/session.ts'
import { localToInstant, NonExistentLocalTimeError, instantToLocal } from '../time/wall-time.ts'
import { instantAfter } from '../time/instants.ts'
import { scheduledBy, type ScheduledBy } from '../time/judged-calendar.ts'

export class NoSessionForExit extends Error {
  override readonly name = 'NoSessionForExit'
}

/** Milliseconds; an exit "at the close" sent later would wait a day. */
const CLOSE_MARGIN = 10_000

type TimedRule = Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>

interface TriggerTime {
  wanted: number
  moved: boolean
}

type Timing =
  | {
      /** Milliseconds since the epoch, not before the entry's end. */
      fromEntry(rule: TimedRule, ended: number, filled: number): number
    }
  | {
      inSession(
        session: TradingSession,
        rule: TimedRule,
        sessions: readonly TradingSession[],
        zone: string,
      ): TriggerTime | null
      /** True if no usual closing auction takes the order; false if unknown. */
      missesAuction(rule: TimedRule, sessions: readonly TradingSession[], zone: string | null): boolean
      asksCalendar: boolean
    }

const TRIGGER_TIMING: Readonly<Record<ExitTrigger, Timing>> = {
  minutesAfterEntry: {
    fromEntry: (rule, ended, filled) => Math.max(filled + minutesOf(rule), ended),
  },
  minutesBeforeClose: {
    inSession: (session, rule) => ({
      wanted: Date.parse(session.closesAt) - Math.max(minutesOf(rule), CLOSE_MARGIN),
      moved: false,
    }),
    missesAuction: (rule) => minutesOf(rule) <= AUCTION_CUT_OFF_MS.cls,
    asksCalendar: false,
  },
  atClockTime: {
    inSession: clockTimeIn,
    missesAuction: clockTimeMissesAuction,
    asksCalendar: true,
  },
  immediate: {
    fromEntry: (_rule, ended) => ended,
  },
}

/**
 * The instant of an exit, by specification 3.3: the trigger's own time if the session (and auction) takes it, else the
 * next opening. Minutes after the entry count from its fill. A clock time before the entry's end means the next
 * session; one after an early close the last moment before it.
 * @param sessions in order, from a day before the entry's end on
 * @param zone IANA zone of the broker
 * @throws NoSessionForExit when no session given is late enough
 */
export function resolveExitTime(
  rule: TimedRule,
  entry: EntryEnd,
  sessions: readonly TradingSession[],
  zone: string,
): ExitSchedule {
  const ended = Date.parse(entry.endedAt)
  const { wanted, moved } = triggerTime(rule, entry, sessions, zone)
  if (moved) return { submitAt: instant(wanted), reason: 'exit_moved_before_early_close' }
  const session = sessions.find((candidate) => wanted < sendBeforeMs(candidate, rule))
  if (!session) throw new NoSessionForExit(`no session at or after ${instant(wanted)} is known`)
  const submitAt = Math.max(wanted, Date.parse(session.opensAt))
  const endedIn = sessions.find((candidate) => contains(candidate, ended))
  const rolled =
    submitAt !== wanted || (isClockAnchored(rule) && endedIn !== undefined && endedIn !== session)
  return { submitAt: instant(submitAt), reason: rolled ? 'exit_rolled_to_next_session' : null }
}

/** A clock time needs `sessions`, else the result is false. */
export function isAlwaysADayLate(
  rule: TimedRule,
  sessions: readonly TradingSession[],
  zone: string | null,
): boolean {
  const timing = TRIGGER_TIMING[rule.trigger]
  return rule.timeInForce === 'cls' && 'inSession' in timing && timing.missesAuction(rule, sessions, zone)
}

export function isJudgedByCalendar(rule: Pick<TimedRule, 'trigger' | 'timeInForce'>): boolean {
  const timing = TRIGGER_TIMING[rule.trigger]
  return rule.timeInForce === 'cls' && 'inSession' in timing && timing.asksCalendar
}

function clockTimeMissesAuction(
  rule: TimedRule,
  sessions: readonly TradingSession[],
  zone: string | null,
): boolean {
  if (zone === null || sessions.length === 0) return false
  const usual = Math.max(...sessions.map(lengthOf))
  return sessions
    .filter((session) => lengthOf(session) === usual)
    .every((session) => {
      const clock = clockTimeOn(session.date, rule.clockTime ?? '', zone)
      return clock === null || clock >= sendBeforeMs(session, rule)
    })
}

function triggerTime(
  rule: TimedRule,
  { endedAt, filledAt }: EntryEnd,
  sessions: readonly TradingSession[],
  zone: string,
): TriggerTime {
  const ended = Date.parse(endedAt)
  const timing = TRIGGER_TIMING[rule.trigger]
  if ('fromEntry' in timing)
    return { wanted: timing.fromEntry(rule, ended, Date.parse(filledAt ?? endedAt)), moved: false }
  for (const session of sessions) {
    const time = timing.inSession(session, rule, sessions, zone)
    if (time !== null && time.wanted >= ended) return time
  }
  throw new NoSessionForExit(`no session after ${endedAt} is known`)
}

/** Null if the day's clock skips the time. */
function clockTimeIn(
  session: TradingSession,
  rule: TimedRule,
  sessions: readonly TradingSession[],
  zone: string,
): TriggerTime | null {
  const clock = clockTimeOn(session.date, rule.clockTime ?? '', zone)
  if (clock === null) return null
  const last = sendBeforeMs(session, rule)
  const usualClose = Date.parse(session.opensAt) + Math.max(...sessions.map(lengthOf))
  const isCutOff = clock >= last && clock < usualClose && Date.parse(session.closesAt) < usualClose
  return isCutOff ? { wanted: last - CLOSE_MARGIN, moved: true } : { wanted: clock, moved: false }
}

/** Milliseconds. Exchanges only shorten sessions, so the longest is the usual one. */
const lengthOf = ({ opensAt, closesAt }: TradingSession): number => Date.parse(closesAt) - Date.parse(opensAt)

const isClockAnchored = (rule: Pick<TimedRule, 'trigger'>): boolean =>
  'inSession' in TRIGGER_TIMING[rule.trigger]

const sendBeforeMs = (session: TradingSession, rule: TimedRule): number =>
  Date.parse(session.closesAt) - (rule.timeInForce === 'cls' ? AUCTION_CUT_OFF_MS.cls : 0)

/** @param sharedWith an instant required in the same session */
export function takesOrdersAt(
  at: string,
  rule: TimedRule,
  sessions: readonly TradingSession[],
  sharedWith: string = at,
): boolean {
  const now = Date.parse(at)
  const session = sessions.find((candidate) => contains(candidate, now))
  return (
    session !== undefined && now < sendBeforeMs(session, rule) && contains(session, Date.parse(sharedWith))
  )
}

export const contains = (session: TradingSession, at: number): boolean =>
  at >= Date.parse(session.opensAt) && at < Date.parse(session.closesAt)

const minutesOf = (rule: TimedRule): number => (rule.minutes ?? 0) * 60_000

function clockTimeOn(date: string, time: string, zone: string): number | null {
  try {
    return Date.parse(localToInstant(`${date}T${time}`, zone))
  } catch (error) {
    if (error instanceof NonExistentLocalTimeError) return null
    throw error
  }
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Milliseconds, because clocks are compared to a second. */
const NOT_WORTH_A_MOVE = 5_000

export interface ExitScheduling {
  rule: Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>
  entry: EntryEnd
  /** In order, from a day before the entry's end or `now` on. */
  sessions: readonly TradingSession[]
  zone: string
  now: string
  /** Milliseconds that the broker's clock is ahead. */
  clockOffset: number
  /** UTC by our clock; null at first. */
  scheduledFor: string | null
}

interface ExitShift {
  from: string
  staysOpen: boolean
}

export interface ScheduledExit extends ExitSchedule {
  shift: ExitShift | null
  by: ScheduledBy | null
}

/**
 * The exit's time by our clock: its own ({@link resolveExitTime}); once passed, at once while its session takes the
 * order, else on the next market day. Throws NoSessionForExit.
 */
export function scheduleExitBy(planning: ExitScheduling): ScheduledExit {
  const { rule, entry, sessions, zone, now, clockOffset, scheduledFor } = planning
  const brokerNow = instantAfter(now, clockOffset)
  const from = scheduledFor === null ? null : instantAfter(scheduledFor, clockOffset)
  const done = (at: string, reason: ExitMove | null, before: string | null): ScheduledExit => {
    const by = scheduledBy(sessions, entry.endedAt, at)
    const submitAt = instantAfter(at, -clockOffset)
    const was = before === null ? null : instantAfter(before, -clockOffset)
    if (was === null || isSame(submitAt, was))
      return { submitAt: scheduledFor ?? submitAt, reason, shift: null, by }
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
  // Counted from now, an exit after the close would move by a day every day.
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
