import type { ExitPlan, ExitRule } from './exit.ts'
import type { TradingSession } from './session.ts'
import { localToInstant, NonExistentLocalTimeError } from './wall-time.ts'

/** The calendar that was given does not reach far enough to place the exit. */
export class NoSessionForExit extends Error {
  override readonly name = 'NoSessionForExit'
}

/** Orders for the closing auction are taken until ten minutes before the close (NYSE rule 7.35B; Alpaca: 15:50). */
const AUCTION_CUT_OFF = 10 * 60_000
/** An exit "at the close" is sent this long before it: one sent after it would wait for the next day. */
const CLOSE_MARGIN = 10_000

type TimedRule = Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>

/**
 * When an exit is to be sent (specification 3.3): at the trigger's own time when that lies within a session, and
 * early enough for its closing auction if the order belongs there; at the opening of the next session otherwise.
 * A clock time that had passed when the entry ended means the next session's.
 *
 * @param entryEndedAt UTC instant at which the entry order reached its terminal state
 * @param sessions the broker's sessions in order, from a day before the entry's end on
 * @param zone IANA zone of the broker, in which `clockTime` is meant
 * @throws NoSessionForExit when no session given is late enough
 */
export function resolveExitTime(
  rule: TimedRule,
  entryEndedAt: string,
  sessions: readonly TradingSession[],
  zone: string,
): ExitPlan {
  const ended = Date.parse(entryEndedAt)
  const wanted = triggerTime(rule, ended, sessions, zone)
  const session = sessions.find((candidate) => wanted < lastMoment(candidate, rule))
  if (!session) throw new NoSessionForExit(`no session at or after ${instant(wanted)} is known`)
  const submitAt = Math.max(wanted, Date.parse(session.opensAt))
  const endedIn = sessions.find((candidate) => contains(candidate, ended))
  const rolled =
    submitAt !== wanted || (isClockAnchored(rule) && endedIn !== undefined && endedIn !== session)
  return { submitAt: instant(submitAt), reason: rolled ? 'exit_rolled_to_next_session' : null }
}

/** The instant that the trigger itself names, in or out of a session; milliseconds since the epoch. */
function triggerTime(
  rule: TimedRule,
  ended: number,
  sessions: readonly TradingSession[],
  zone: string,
): number {
  if (rule.trigger === 'immediate') return ended
  if (rule.trigger === 'minutesAfterEntry') return ended + minutesOf(rule)
  for (const session of sessions) {
    const clock =
      rule.trigger === 'atClockTime'
        ? clockTimeOn(session.date, rule.clockTime ?? '', zone)
        : Date.parse(session.closesAt) - Math.max(minutesOf(rule), CLOSE_MARGIN)
    if (clock !== null && clock >= ended) return clock
  }
  throw new NoSessionForExit(`no session after ${instant(ended)} is known`)
}

const isClockAnchored = (rule: TimedRule): boolean =>
  rule.trigger === 'atClockTime' || rule.trigger === 'minutesBeforeClose'

/** From this moment on the session can take the order no more. */
const lastMoment = (session: TradingSession, rule: TimedRule): number =>
  Date.parse(session.closesAt) - (rule.timeInForce === 'cls' ? AUCTION_CUT_OFF : 0)

const contains = (session: TradingSession, at: number): boolean =>
  at >= Date.parse(session.opensAt) && at < Date.parse(session.closesAt)

const minutesOf = (rule: TimedRule): number => (rule.minutes ?? 0) * 60_000

/** Null on a day whose clock skips that time. */
function clockTimeOn(date: string, time: string, zone: string): number | null {
  try {
    return Date.parse(localToInstant(`${date}T${time}`, zone))
  } catch (error) {
    if (error instanceof NonExistentLocalTimeError) return null
    throw error
  }
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()
