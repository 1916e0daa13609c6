import { addDays, instantWithOffset, localToInstant } from '#domain/wall-time.ts'

/** The zone in which Alpaca writes its calendar. */
const ZONE = 'America/New_York'

/** A day of trading, in New York's time; 24:00 is the end of the day. */
export interface TradingDay {
  date: string
  open: string
  close: string
}

/** The date in New York at an instant (milliseconds since the epoch). */
export const dateAt = (instant: number): string => localTextAt(instant).slice(0, 10)
/** The clock time in New York, such as 09:30. */
export const timeAt = (instant: number): string => localTextAt(instant).slice(11, 16)
const localTextAt = (instant: number): string => instantWithOffset(new Date(instant).toISOString(), ZONE)

/** An exchange that never closes: a test holds at any hour. */
const always = (date: string): TradingDay => ({ date, open: '00:00', close: '24:00' })

/** The days of an account's exchange: those that a test has set, and {@link always} for all others. */
export class Days {
  /** By date; null: the exchange is closed on that day. */
  readonly set = new Map<string, TradingDay | null>()

  on(date: string): TradingDay | null {
    const own = this.set.get(date)
    return own === undefined ? always(date) : own
  }

  /** @param start date, as `end` is; both belong to the list */
  list(start: string, end: string): TradingDay[] {
    const days: TradingDay[] = []
    for (let date = start; date <= end; date = addDays(date, 1)) {
      const day = this.on(date)
      if (day) days.push(day)
    }
    return days
  }

  /** Today's session ends in so many minutes, rounded up to a whole one; answers when, in milliseconds since the epoch. */
  closeIn(minutes: number, now = Date.now()): number {
    const at = Math.ceil((now + minutes * 60_000) / 60_000) * 60_000
    const date = dateAt(now)
    this.set.set(date, { date, open: '00:00', close: dateAt(at) === date ? timeAt(at) : '24:00' })
    return at
  }

  /** The session that is under way or comes next, in milliseconds since the epoch. */
  sessionAt(now: number): { opensAt: number; closesAt: number; isOpen: boolean } {
    for (let date = addDays(dateAt(now), -1); ; date = addDays(date, 1)) {
      const day = this.on(date)
      if (!day) continue
      const opensAt = Date.parse(localToInstant(`${date}T${day.open}`, ZONE))
      const closesAt = Date.parse(localToInstant(`${date}T${day.close}`, ZONE))
      if (now < closesAt) return { opensAt, closesAt, isOpen: now >= opensAt }
    }
  }
}
