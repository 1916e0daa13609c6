import type { Broker } from '#brokers/port.ts'
import { resolveExitTime } from '#domain/exit-time.ts'
import type { ExitPlan } from '#domain/exit.ts'
import type { TradingSession } from '#domain/session.ts'
import type { PlanExitInput } from './contract.ts'

const DAY = 86_400_000
/** Covers the longest closure of an exchange with room to spare, in days. */
const REACH = 14

/** When the exit is due, by the calendar of the account's own broker. */
export async function planExitTime(
  { calendar, zoneOf }: { calendar: SessionCalendar; zoneOf(accountId: string): Promise<string> },
  { accountId, rule, entry, entryEndedAt: endedAt }: PlanExitInput,
): Promise<ExitPlan> {
  const sessions = await calendar.sessionsFrom(accountId, endedAt)
  return resolveExitTime(rule, { endedAt, filledAt: entry.filledAt }, sessions, await zoneOf(accountId))
}

/** The brokers' calendars, remembered for an hour: they change by decree, but not by the minute. */
export class SessionCalendar {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  readonly #known = new Map<string, { sessions: TradingSession[]; readAt: number }>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /** Sessions from the day before the instant (whatever the zone, none is missed) to two weeks after it. */
  async sessionsFrom(accountId: string, instant: string): Promise<TradingSession[]> {
    const from = dateOf(Date.parse(instant) - DAY)
    const key = `${accountId} ${from}`
    const known = this.#known.get(key)
    if (known && this.#now() - known.readAt < 3_600_000) return known.sessions
    const broker = await this.#brokerFor(accountId)
    const sessions = await broker.listSessions(from, dateOf(Date.parse(instant) + REACH * DAY))
    if (this.#known.size >= 1_000) this.#known.clear()
    // Nothing at all may be an odd answer, and is asked for again.
    if (sessions.length > 0) this.#known.set(key, { sessions, readAt: this.#now() })
    return sessions
  }
}

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
