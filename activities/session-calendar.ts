import type { Broker } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import { calendarFault } from '#domain/calendar/judged.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { CALENDAR_REACH_DAYS, type TradingSession } from '#domain/session.ts'
import { DAY_MS } from '#domain/time-units.ts'
import { addDays } from '#domain/wall-time.ts'

/** Milliseconds: calendars change by decree, not by the minute. */
const CALENDAR_REMEMBERED_FOR_MS = 3_600_000
/** Milliseconds, for orders. */
const CALENDAR_FRESH_FOR_MS = 60_000
/** Each answer is judged ({@link readSessions}) and remembered for an hour; a failure is not. */
export class SessionCalendar {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  readonly #known = new Map<string, { sessions: TradingSession[]; readAt: number }>()
  /** Concurrent readers share one. */
  readonly #readings = new Map<string, Promise<TradingSession[]>>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /**
   * From the day before the instant to two weeks after it and after now; at least one session ends after both.
   * Throws as {@link readSessions}.
   * @param readWithin milliseconds; an older answer is read again
   */
  async sessionsFrom(
    accountId: string,
    instant: string,
    readWithin: number = CALENDAR_REMEMBERED_FOR_MS,
  ): Promise<TradingSession[]> {
    const known = this.remembered(accountId, instant, readWithin)
    if (known !== null) return known
    const key = keyOf(accountId, instant)
    const under = this.#readings.get(key)
    if (under) return under
    const reading = this.#read(accountId, instant).finally(() => this.#readings.delete(key))
    this.#readings.set(key, reading)
    return reading
  }

  remembered(
    accountId: string,
    instant: string,
    readWithin: number = CALENDAR_REMEMBERED_FOR_MS,
  ): TradingSession[] | null {
    const known = this.#known.get(keyOf(accountId, instant))
    if (known === undefined || this.#now() - known.readAt >= readWithin) return null
    // The sessions were judged for an earlier instant.
    return calendarFault(known.sessions, this.#latest(instant)) === null ? known.sessions : null
  }

  forget(accountId: string, instant: string): void {
    this.#known.delete(keyOf(accountId, instant))
  }

  /** For an order: of the last minute, or within the hour where the calendar cannot be read now. */
  async sessionsNow(accountId: string, instant: string): Promise<TradingSession[]> {
    try {
      return await this.sessionsFrom(accountId, instant, CALENDAR_FRESH_FOR_MS)
    } catch (error) {
      const known = this.remembered(accountId, instant)
      if (known !== null) return known
      throw error
    }
  }

  /** Where the broker does not answer: its answer within the hour, else the rules of the exchange. */
  async sessionsByAnyMeans(
    accountId: string,
    instant: string,
    readWithin?: number,
  ): Promise<readonly TradingSession[]> {
    try {
      return await this.sessionsFrom(accountId, instant, readWithin)
    } catch {
      const today = instant.slice(0, 10)
      return this.remembered(accountId, instant) ?? nyseSessions(addDays(today, -1), addDays(today, 7))
    }
  }

  #latest(instant: string): string {
    return new Date(Math.max(Date.parse(instant), this.#now())).toISOString()
  }

  async #read(accountId: string, instant: string): Promise<TradingSession[]> {
    const broker = await this.#brokerFor(accountId)
    const after = this.#latest(instant)
    const days = {
      from: firstDay(instant),
      to: dateOf(Date.parse(after) + CALENDAR_REACH_DAYS * DAY_MS),
      after,
    }
    const sessions = await readSessions(broker, days)
    if (this.#known.size >= 1_000) this.#known.clear()
    this.#known.set(keyOf(accountId, instant), { sessions, readAt: this.#now() })
    return sessions
  }
}

const keyOf = (accountId: string, instant: string): string => `${accountId} ${firstDay(instant)}`
const firstDay = (instant: string): string => dateOf(Date.parse(instant) - DAY_MS)
const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
