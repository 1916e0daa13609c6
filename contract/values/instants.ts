import { z } from 'zod'
import {
  InvalidLocalTimeError,
  isAmbiguousLocalTime,
  isLocalDate,
  isZone,
  localToInstant,
} from '#domain/time/wall-time.ts'

const DATE_AND_TIME = String.raw`(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?`
const LOCAL = new RegExp(`^${DATE_AND_TIME}$`)
const INSTANT = new RegExp(`^${DATE_AND_TIME}(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$`)

/** ISO 8601 writes four digits, and PostgreSQL has no year 0. */
const hasWritableYear = (at: Date): boolean => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999
const YEARS = 'must be in one of the years 0001 to 9999, in UTC too'

const isWritable = (text: string): boolean =>
  !text.startsWith('0000') && (!isInstant(text) || hasWritableYear(new Date(text)))

function isLocalTime(text: string): boolean {
  if (!LOCAL.test(text)) return false
  try {
    localToInstant(text, 'UTC')
    return true
  } catch (error) {
    if (error instanceof InvalidLocalTimeError) return false
    throw error
  }
}

const isInstant = (text: string): boolean => INSTANT.test(text) && isLocalDate(text.slice(0, 10))

/** Such as "2026-01-05T15:55:00"; `timezone` gives its zone. */
export const localTime = () =>
  z
    .string({ error: 'must be text' })
    .refine(isLocalTime, {
      error: 'must be a local date and time that exists, such as 2026-01-05T15:55:00, without Z or an offset',
      abort: true,
    })
    .refine(isWritable, YEARS)
    .meta({ pattern: LOCAL.source, examples: ['2026-01-05T15:55:00'] })

export const localDate = () =>
  z
    .string({ error: 'must be a date such as 2026-01-05' })
    .refine(isLocalDate, { error: 'must be a date that exists, such as 2026-01-05', abort: true })
    .refine(isWritable, YEARS)
    .meta({ format: 'date' })

export const utcInstant = () =>
  z
    .string({ error: 'must be text' })
    // An unescaped plus sign arrives as a space.
    .transform((text) => text.replace(/ (?=\d\d:\d\d$)/, '+'))
    .refine(isInstant, {
      error: 'must be a date and time that exists with Z or an offset, such as 2026-01-05T20:55:00Z',
      abort: true,
    })
    .refine(isWritable, { error: YEARS, abort: true })
    .transform((text) => new Date(text).toISOString())
    .meta({ format: 'date-time' })

export const instantOrLocalTime = () =>
  z
    .string({ error: 'must be text' })
    .refine((text) => isInstant(text) || isLocalTime(text), {
      error: 'must be a date and time that exists, such as 2026-01-05T20:55:00Z',
      abort: true,
    })
    .refine(isWritable, YEARS)
    .meta({ pattern: `${LOCAL.source}|${INSTANT.source}`, examples: ['2026-01-05T20:55:00Z'] })

/** Null for a local time without a zone. Throws NonExistentLocalTimeError if clocks skip it. */
export function instantOf(text: string, zone: string): string
export function instantOf(text: string, zone: string | undefined): string | null
export function instantOf(text: string, zone: string | undefined): string | null {
  if (isInstant(text)) return new Date(text).toISOString()
  return zone === undefined ? null : localToInstant(text, zone)
}

/** True for a local time that clocks show twice; throws {@link NonExistentLocalTimeError}. */
export const isAmbiguous = (text: string, zone: string): boolean =>
  !isInstant(text) && isAmbiguousLocalTime(text, zone)

export const clockTime = () =>
  z
    .string({ error: 'must be a time of day such as 15:55' })
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 15:55')

const MAX_ZONE = 64

export const zone = () =>
  z
    .string({ error: 'must be text' })
    .refine(
      (name) => name.length <= MAX_ZONE && isZone(name),
      'must be an IANA time zone such as America/New_York',
    )
    .meta({ maxLength: MAX_ZONE, examples: ['America/New_York'] })
