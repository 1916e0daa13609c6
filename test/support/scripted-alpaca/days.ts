import { addDays, instantWithOffset, localToInstant } from '#domain/time/wall-time.ts'

/** The zone in which Alpaca writes its calendar. */
const ZONE = 'America/New_York'

/** A day of trading, in New York's time; 24:00 is the end of the day. */
export interface TradingDay {
  date: string
  open: string
  close: string
}

/** The date in New York at an instant (milliseconds since the epoch). */
const dateAt = (instant: number): string =>
  instantWithOffset(new Date(instant).toISOString(), ZONE).slice(0, 10)

/** An exchange that never closes: a test holds at any hour. */
const always = (date: string): TradingDay => ({ date, open: '00:00', close: '24:00' })

/** The days of an account's exchange, on which it never closes. */
export class Days {
  /** @param start date, as `end` is; both belong to the list */
  list(start: string, end: string): TradingDay[] {
    const days: TradingDay[] = []
    for (let date = start; date <= end; date = addDays(date, 1)) days.push(always(date))
    return days
  }

  /** The session that is under way, in milliseconds since the epoch. */
  sessionAt(now: number): { opensAt: number; closesAt: number } {
    const date = dateAt(now)
    const [opensAt, closesAt] = [date, addDays(date, 1)].map((day) =>
      Date.parse(localToInstant(`${day}T00:00`, ZONE)),
    ) as [number, number]
    return { opensAt, closesAt }
  }
}
