import { correctionBy, withinOwnKnowledge } from '#domain/broker-clock.ts'
import { planExitBy, type PlannedExit } from '#domain/exit-plan.ts'
import { NoSessionForExit } from '#domain/exit-time.ts'
import type { TradingSession } from '#domain/session.ts'
import type { BrokerClocks } from '../broker-clocks.ts'
import type { EntryByLedger } from '#db/signals/exit-plans.ts'
import type { PlanExitInput } from '../contract.ts'
import type { SessionCalendar } from '../session-calendar.ts'

/** Milliseconds between two readings of the calendar, which have to agree before an exit is moved. */
const CONFIRMED_AFTER = 300

class CalendarUnsettled extends Error {
  override readonly name = 'CalendarUnsettled'
}

export interface ExitPlanningDependencies {
  calendar: SessionCalendar
  zoneOf(accountId: string): Promise<string>
  clocks: Pick<BrokerClocks, 'offsetOf'>
  /** By the clock of the ledger. */
  entryByLedger(signalId: string): Promise<EntryByLedger>
  now(): number
  pause(milliseconds: number): Promise<unknown>
}

/** By our clock. A planned exit moves only when two fresh calendars agree: one odd answer moves none. */
export async function planExitTime(
  deps: ExitPlanningDependencies,
  input: PlanExitInput,
): Promise<PlannedExit> {
  const { accountId, rule, entry, entryEndedAt, plannedFor = null, heardAt } = input
  const [zone, offset] = await Promise.all([deps.zoneOf(accountId), deps.clocks.offsetOf(accountId)])
  // Timers run by Temporal's clock, which is the ledger's; that of this process may be another.
  const { now, sentAt } = await deps.entryByLedger(input.signalId)
  const ahead = deps.now() - Date.parse(now)
  const correction = offset === null ? 0 : correctionBy(offset + ahead)
  const byBroker = (told: string): string =>
    withinOwnKnowledge(told, correction, { since: sentAt, until: heardAt ?? now })
  const ended =
    entry.endedAt === entryEndedAt ? byBroker(entryEndedAt) : instant(Date.parse(entryEndedAt) + correction)
  const terms = {
    rule,
    entry: { endedAt: ended, filledAt: entry.filledAt && byBroker(entry.filledAt) },
    zone,
    clockOffset: correction,
    plannedFor,
  }
  const from = instant(Math.min(Date.parse(ended), Date.parse(now) + correction))
  const planBy = (sessions: readonly TradingSession[]): PlannedExit => {
    try {
      return planExitBy({ ...terms, sessions, now })
    } catch (error) {
      if (error instanceof NoSessionForExit) deps.calendar.forget(accountId, from)
      throw error
    }
  }
  if (plannedFor === null) return planBy(await deps.calendar.sessionsFrom(accountId, from))
  const again = planBy(await deps.calendar.sessionsFrom(accountId, from, 0))
  if (again.shift === null) return again
  await deps.pause(CONFIRMED_AFTER)
  const confirmed = planBy(await deps.calendar.sessionsFrom(accountId, from, 0))
  if (confirmed.submitAt !== again.submitAt)
    throw new CalendarUnsettled('the calendar of the broker says something else each time that it is read')
  return confirmed
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()
