import type { ExitPlan, ExitRule } from './exit.ts'
import type { TradingSession } from './session.ts'

/** The calendar that was given does not reach far enough to place the exit. */
export class NoSessionForExit extends Error {
  override readonly name = 'NoSessionForExit'
}

/**
 * When an exit is to be sent (specification 3.3): the trigger's own time when that lies within a session, the
 * next session's opening otherwise.
 *
 * @param entryEndedAt UTC instant at which the entry order reached its terminal state
 * @param sessions the broker's sessions in order, from the day of the entry's end on
 * @throws NoSessionForExit when no session given is late enough
 */
export function resolveExitTime(
  rule: Pick<ExitRule, 'trigger' | 'minutes'>,
  entryEndedAt: string,
  sessions: readonly TradingSession[],
): ExitPlan {
  const minutes = rule.trigger === 'minutesAfterEntry' ? (rule.minutes ?? 0) : 0
  const wanted = Date.parse(entryEndedAt) + minutes * 60_000
  for (const session of sessions) {
    if (wanted >= Date.parse(session.closesAt)) continue
    if (wanted >= Date.parse(session.opensAt)) return { submitAt: instant(wanted), reason: null }
    return { submitAt: instant(Date.parse(session.opensAt)), reason: 'exit_rolled_to_next_session' }
  }
  throw new NoSessionForExit(`no session at or after ${instant(wanted)} is known`)
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()
