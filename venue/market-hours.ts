import { NYSE_EARLY_CLOSE, NYSE_OPEN, NYSE_ZONE, nyseClosingTime, nyseSession } from '#domain/time/nyse.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { addDays, instantToLocal, localToInstant } from '#domain/time/wall-time.ts'

/** always: every day of New York is one session, from midnight to the close. nyse: the exchange's sessions. */
export type HoursMode = 'always' | 'nyse'

/** extended: only orders that ask for it trade. */
export type MarketPhase = 'regular' | 'extended' | 'closed'

export interface CalendarDay {
  date: string
  open: string
  close: string
  sessionOpen: string
  sessionClose: string
}

/** Sessions in epoch milliseconds. */
export interface Session {
  date: string
  preMarketOpensAt: number
  opensAt: number
  closesAt: number
  afterHoursCloseAt: number
}

const PRE_MARKET_OPEN = '04:00'
const AFTER_HOURS_CLOSE = '20:00'
const AFTER_HOURS_CLOSE_ON_HALF_DAYS = '17:00'
/** Most days without a session; a weekend with holidays on both sides has 5. */
const MAX_CLOSING_DAYS = 10
/** Alpaca's clients cannot read 24:00. */
const LAST_MINUTE = '23:59'

const MAX_KNOWN_SESSIONS = 5_000

interface LocalDay {
  date: string
  startsAt: number
  endsAt: number
  session: Session | null
}

/** Epoch milliseconds. */
export class MarketHours {
  readonly mode: HoursMode
  readonly #alwaysCloses: string
  /** Zone arithmetic is slow, and most questions are about today. */
  #today: LocalDay | null = null
  readonly #sessions = new Map<string, Session | null>()

  /** `alwaysCloses`: local time of New York, HH:MM. */
  constructor(mode: HoursMode, alwaysCloses = LAST_MINUTE) {
    this.mode = mode
    this.#alwaysCloses = alwaysCloses
  }

  phaseAt(now: number): MarketPhase {
    const { session } = this.#dayOf(now)
    if (!session || now < session.preMarketOpensAt || now >= session.afterHoursCloseAt) return 'closed'
    return now >= session.opensAt && now < session.closesAt ? 'regular' : 'extended'
  }

  dateAt(now: number): string {
    return this.#dayOf(now).date
  }

  sessionToday(now: number): Session | null {
    return this.#dayOf(now).session
  }

  currentOrNextSession(now: number): Session {
    const today = this.sessionToday(now)
    return today && now < today.closesAt ? today : this.nextSession(now)
  }

  nextSession(now: number): Session {
    const { date, session } = this.#dayOf(now)
    if (session && now < session.opensAt) return session
    return this.#firstSession(date, 1)
  }

  previousSession(now: number): Session {
    const { date, session } = this.#dayOf(now)
    if (session && now >= session.closesAt) return session
    return this.#firstSession(date, -1)
  }

  /** Local dates, both included. */
  calendar(from: string, to: string): CalendarDay[] {
    const days: CalendarDay[] = []
    for (let date = from; date <= to; date = addDays(date, 1)) {
      if (this.mode === 'always') {
        const close = this.#alwaysCloses
        days.push({ date, open: '00:00', close, sessionOpen: '0000', sessionClose: close.replace(':', '') })
      } else if (nyseSession(date)) {
        const close = nyseClosingTime(date)
        days.push({
          date,
          open: NYSE_OPEN,
          close,
          sessionOpen: '0400',
          sessionClose: close === NYSE_EARLY_CLOSE ? '1700' : '2000',
        })
      }
    }
    return days
  }

  sessionOn(date: string): Session | null {
    const known = this.#sessions.get(date)
    if (known !== undefined) return known
    const session = this.#sessionOn(date)
    if (this.#sessions.size >= MAX_KNOWN_SESSIONS) this.#sessions.clear()
    this.#sessions.set(date, session)
    return session
  }

  #firstSession(date: string, step: 1 | -1): Session {
    for (let days = 1; days <= MAX_CLOSING_DAYS; days += 1) {
      const session = this.#sessionOn(addDays(date, step * days))
      if (session) return session
    }
    throw new Error(`No session within ${MAX_CLOSING_DAYS} days of ${date}`)
  }

  #dayOf(now: number): LocalDay {
    if (this.#today && now >= this.#today.startsAt && now < this.#today.endsAt) return this.#today
    const { date } = instantToLocal(new Date(now).toISOString(), NYSE_ZONE)
    this.#today = {
      date,
      startsAt: instantOf(date, '00:00'),
      endsAt: instantOf(date, '24:00'),
      session: this.#sessionOn(date),
    }
    return this.#today
  }

  #sessionOn(date: string): Session | null {
    if (this.mode === 'always') {
      const opensAt = instantOf(date, '00:00')
      const closesAt = instantOf(date, this.#alwaysCloses)
      return { date, preMarketOpensAt: opensAt, opensAt, closesAt, afterHoursCloseAt: closesAt }
    }
    const session: TradingSession | null = nyseSession(date)
    if (!session) return null
    const isHalfDay = nyseClosingTime(date) === NYSE_EARLY_CLOSE
    return {
      date,
      preMarketOpensAt: instantOf(date, PRE_MARKET_OPEN),
      opensAt: Date.parse(session.opensAt),
      closesAt: Date.parse(session.closesAt),
      afterHoursCloseAt: instantOf(date, isHalfDay ? AFTER_HOURS_CLOSE_ON_HALF_DAYS : AFTER_HOURS_CLOSE),
    }
  }
}

const instantOf = (date: string, time: string): number =>
  Date.parse(localToInstant(`${date}T${time}`, NYSE_ZONE))
