/** Local clocks and instants. `WallTime`, because "Temporal" means the workflow engine here. */
import { Temporal as WallTime } from 'temporal-polyfill'

export class NonExistentLocalTimeError extends RangeError {
  override readonly name = 'NonExistentLocalTimeError'
  constructor(local: string, zone: string) {
    super(`${local} does not exist in ${zone}: the clocks are put forward past it`)
  }
}

/** Such as 30 February or 25:00. */
export class InvalidLocalTimeError extends RangeError {
  override readonly name = 'InvalidLocalTimeError'
}

export class UnknownZoneError extends RangeError {
  override readonly name = 'UnknownZoneError'
  constructor(zone: string) {
    super(`${JSON.stringify(zone)} is not a time zone`)
  }
}

const LOCAL_DATE = /^\d{4}-\d{2}-\d{2}$/
const LOCAL_DATE_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)$/
/** ISO 8601 allows 24:00 at the end of a day. */
const END_OF_DAY = /^24:00(:00(\.0+)?)?$/

/**
 * `local`: "2025-03-10T09:30", seconds optional, no offset; 24:00 ends the day. A local time that happens twice means
 * the first. Throws {@link NonExistentLocalTimeError}, {@link InvalidLocalTimeError} and {@link UnknownZoneError}.
 */
export function localToInstant(local: string, zone: string): string {
  const plain = parseLocal(local)
  const moment = inZone(plain, zone, 'earlier')
  if (!moment.toPlainDateTime().equals(plain)) throw new NonExistentLocalTimeError(local, zone)
  return toUtcText(moment.toInstant())
}

/** True if clocks go back over `local`. Throws as {@link localToInstant}. */
export function isAmbiguousLocalTime(local: string, zone: string): boolean {
  const plain = parseLocal(local)
  const earlier = inZone(plain, zone, 'earlier')
  const later = inZone(plain, zone, 'later')
  return earlier.epochMilliseconds !== later.epochMilliseconds && earlier.toPlainDateTime().equals(plain)
}

export function instantToLocal(instant: string, zone: string): { date: string; time: string } {
  const moment = zoned(WallTime.Instant.from(instant), zone)
  return {
    date: moment.toPlainDate().toString(),
    time: moment.toPlainTime().toString({ smallestUnit: 'second', roundingMode: 'trunc' }),
  }
}

export function instantWithOffset(instant: string, zone: string): string {
  return zoned(WallTime.Instant.from(instant), zone).toString({
    timeZoneName: 'never',
    smallestUnit: 'millisecond',
  })
}

/** UTC with milliseconds. */
export const addMinutes = (instant: string, minutes: number): string =>
  toUtcText(WallTime.Instant.from(instant).add({ milliseconds: Math.round(minutes * 60_000) }))

/** Throws {@link InvalidLocalTimeError}. */
export const addDays = (date: string, days: number): string => parseDate(date).add({ days }).toString()

/** The last day of a month that is too short. Throws {@link InvalidLocalTimeError}. */
export const addMonths = (date: string, months: number): string => parseDate(date).add({ months }).toString()

/** 1 for Monday to 7 for Sunday. Throws {@link InvalidLocalTimeError}. */
export const weekday = (date: string): number => parseDate(date).dayOfWeek

export function isLocalDate(text: string): boolean {
  try {
    parseDate(text)
    return true
  } catch (error) {
    if (error instanceof InvalidLocalTimeError) return false
    throw error
  }
}

/** A zone of the IANA database; offsets such as "+02:00" are none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    WallTime.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function parseDate(date: string): WallTime.PlainDate {
  if (!LOCAL_DATE.test(date)) throw new InvalidLocalTimeError(`${JSON.stringify(date)} is not a date`)
  try {
    return WallTime.PlainDate.from(date, { overflow: 'reject' })
  } catch (cause) {
    throw new InvalidLocalTimeError(`${date} is not in the calendar`, { cause })
  }
}

function parseLocal(local: string): WallTime.PlainDateTime {
  const [, date, time] = LOCAL_DATE_TIME.exec(local) ?? []
  if (date === undefined || time === undefined) {
    throw new InvalidLocalTimeError(`${JSON.stringify(local)} is not a local date and time`)
  }
  if (END_OF_DAY.test(time)) return parseDate(date).add({ days: 1 }).toPlainDateTime()
  // The library reads a leap second as :59; a caller's is a mistake.
  if (time.slice(6, 8) === '60') throw new InvalidLocalTimeError(`${local} has a 60th second`)
  try {
    return parseDate(date).toPlainDateTime(WallTime.PlainTime.from(time, { overflow: 'reject' }))
  } catch (cause) {
    if (cause instanceof InvalidLocalTimeError) throw cause
    throw new InvalidLocalTimeError(`${local} is not on the clock`, { cause })
  }
}

function inZone(
  plain: WallTime.PlainDateTime,
  zone: string,
  disambiguation: 'earlier' | 'later',
): WallTime.ZonedDateTime {
  if (!isZone(zone)) throw new UnknownZoneError(zone)
  return plain.toZonedDateTime(zone, { disambiguation })
}

function zoned(instant: WallTime.Instant, zone: string): WallTime.ZonedDateTime {
  if (!isZone(zone)) throw new UnknownZoneError(zone)
  return instant.toZonedDateTimeISO(zone)
}

const toUtcText = (instant: WallTime.Instant): string => instant.toString({ smallestUnit: 'millisecond' })
