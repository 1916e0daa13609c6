import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time/instants.ts'

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
})

/** Milliseconds since midnight by the clocks of New York, to the minute. */
function sinceMidnight(at: number): number {
  const parts = clock.formatToParts(at)
  const valueOf = (type: 'hour' | 'minute') => Number(parts.find((part) => part.type === type)?.value)
  return valueOf('hour') * HOUR_MS + valueOf('minute') * MINUTE_MS
}

/** UTC instant at which the present day of New York began. */
export function newYorkDayBegan(now: number): Date {
  const found = now - (now % MINUTE_MS) - sinceMidnight(now)
  // The clocks changed since midnight.
  const off = sinceMidnight(found)
  return new Date(found - off + (off > DAY_MS / 2 ? DAY_MS : 0))
}

/**
 * The device's date, as 2026-03-02, at which New York's present day began. Filters know only the device's calendar, so
 * a list from that date contains the whole day.
 */
export function newYorkDayHere(now: number): string {
  const began = newYorkDayBegan(now)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${began.getFullYear()}-${two(began.getMonth() + 1)}-${two(began.getDate())}`
}
