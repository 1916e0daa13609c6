import type { TradingSession } from './session.ts'
import { addDays, localToInstant, weekday } from './wall-time.ts'

/** 2020 to 2035, by NYSE Rule 7.2 and its calendars. Closings by decree come late, so a broker's calendar wins. */

export const NYSE_ZONE = 'America/New_York'
export const NYSE_OPEN = '09:30'
const NYSE_CLOSE = '16:00'
export const NYSE_EARLY_CLOSE = '13:00'

const FIRST_YEAR = 2020
const LAST_YEAR = 2035
const SATURDAY = 6
const SUNDAY = 7

const SPECIAL_CLOSINGS: Readonly<Record<string, string>> = {
  '2025-01-09': 'National Day of Mourning for Jimmy Carter',
}

/** Null when the exchange is closed. Throws RangeError outside 2020 to 2035. */
export function nyseSession(date: string): TradingSession | null {
  if (weekday(date) >= SATURDAY || nyseHoliday(date) !== null) return null
  return {
    date,
    opensAt: localToInstant(`${date}T${NYSE_OPEN}`, NYSE_ZONE),
    closesAt: localToInstant(`${date}T${nyseClosingTime(date)}`, NYSE_ZONE),
  }
}

/** Both included. Throws RangeError outside 2020 to 2035. */
export function nyseSessions(from: string, to: string): TradingSession[] {
  const sessions: TradingSession[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) {
    const session = nyseSession(date)
    if (session) sessions.push(session)
  }
  return sessions
}

export function nyseHoliday(date: string): string | null {
  return holidaysOf(yearOf(date)).get(date) ?? null
}

/** Local time: "16:00", or "13:00" on a half day. */
export function nyseClosingTime(date: string): string {
  return isHalfDay(date) ? NYSE_EARLY_CLOSE : NYSE_CLOSE
}

/** The day after Thanksgiving; Christmas Eve and 3 July on Monday to Thursday (a Friday is the holiday). */
function isHalfDay(date: string): boolean {
  const year = yearOf(date)
  if (date === addDays(nthWeekday(year, 11, 4, 4), 1)) return true
  return (date === `${year}-12-24` || date === `${year}-07-03`) && weekday(date) <= 4
}

const holidays = new Map<number, ReadonlyMap<string, string>>()

function holidaysOf(year: number): ReadonlyMap<string, string> {
  const known = holidays.get(year)
  if (known) return known
  const computed = computeHolidays(year)
  holidays.set(year, computed)
  return computed
}

function computeHolidays(year: number): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(SPECIAL_CLOSINGS).filter(([date]) => date.startsWith(`${year}-`)))
  // A New Year's Day on a Saturday is not observed: the Friday before closes the old year's books.
  const newYear = `${year}-01-01`
  if (weekday(newYear) !== SATURDAY) found.set(observed(newYear), "New Year's Day")
  found.set(nthWeekday(year, 1, 1, 3), 'Martin Luther King, Jr. Day')
  found.set(nthWeekday(year, 2, 1, 3), "Washington's Birthday")
  found.set(addDays(easterSunday(year), -2), 'Good Friday')
  found.set(lastMondayOfMay(year), 'Memorial Day')
  if (year >= 2022) found.set(observed(`${year}-06-19`), 'Juneteenth National Independence Day')
  found.set(observed(`${year}-07-04`), 'Independence Day')
  found.set(nthWeekday(year, 9, 1, 1), 'Labor Day')
  found.set(nthWeekday(year, 11, 4, 4), 'Thanksgiving Day')
  found.set(observed(`${year}-12-25`), 'Christmas Day')
  return found
}

/** A holiday on Saturday is observed on Friday, on Sunday on Monday. */
function observed(date: string): string {
  const day = weekday(date)
  return day === SATURDAY ? addDays(date, -1) : day === SUNDAY ? addDays(date, 1) : date
}

/** `day`: 1 Monday to 7 Sunday. */
function nthWeekday(year: number, month: number, day: number, n: number): string {
  const first = `${year}-${String(month).padStart(2, '0')}-01`
  return addDays(first, ((day - weekday(first) + 7) % 7) + 7 * (n - 1))
}

const lastMondayOfMay = (year: number): string => addDays(nthWeekday(year, 6, 1, 1), -7)

/** The anonymous Gregorian computus (Meeus/Jones/Butcher). */
function easterSunday(year: number): string {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = Math.floor(b / 4)
  const e = b % 4
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - d - g + 15) % 30
  const i = Math.floor(c / 4)
  const k = c % 4
  const l = (32 + 2 * e + 2 * i - h - k) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const month = Math.floor((h + l - 7 * m + 114) / 31)
  const day = ((h + l - 7 * m + 114) % 31) + 1
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

function yearOf(date: string): number {
  const year = Number.parseInt(date.slice(0, 4), 10)
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) {
    throw new RangeError(`The NYSE calendar covers ${FIRST_YEAR} to ${LAST_YEAR}, not ${date}`)
  }
  return year
}
