import { HOUR_MS } from '#domain/time/instants.ts'

/** Zone of times in lists and timelines: the exchange's, the device's, or UTC. */
export type Zone = 'market' | 'here' | 'utc'

export const ZONES = {
  market: 'New York',
  here: 'here',
  utc: 'UTC',
} as const satisfies Record<Zone, string>

const IANA = { market: 'America/New_York', here: undefined, utc: 'UTC' } as const

const formats = new Map<string, Intl.DateTimeFormat>()
/** Formats are cached: making one takes longer than a thousand uses. */
function format(name: string, options: Intl.DateTimeFormatOptions, of: Zone): Intl.DateTimeFormat {
  const key = `${name} ${of}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: IANA[of] })
  formats.set(key, made)
  return made
}

/**
 * Suffix of the hour that repeats when daylight saving time ends: " (GMT−4)", then " (GMT−5)". Empty at any other time.
 */
function repeatedHour(at: Date, of: Zone): string {
  const clock = format('minute', MINUTE, of)
  const isRepeated = [-HOUR_MS, HOUR_MS].some(
    (apart) => clock.format(at) === clock.format(at.getTime() + apart),
  )
  if (!isRepeated) return ''
  const parts = format('offset', { timeZoneName: 'shortOffset' }, of).formatToParts(at)
  return ` (${(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '').replace('-', '−')})`
}

const SECOND = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const MINUTE = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const

type Instant = string | number

function timeIn(name: string, options: Intl.DateTimeFormatOptions, instant: Instant, of: Zone): string {
  const at = new Date(instant)
  return format(name, options, of).format(at) + repeatedHour(at, of)
}

/** "10:29:54.018" */
export const clockIn = (instant: Instant, of: Zone): string =>
  timeIn('exact', { ...SECOND, fractionalSecondDigits: 3 }, instant, of)
/** "10:29:54" */
export const secondIn = (instant: Instant, of: Zone): string => timeIn('second', SECOND, instant, of)
/** "15:45" */
export const minuteIn = (instant: Instant, of: Zone): string => timeIn('minute', MINUTE, instant, of)

const EXCHANGE_DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
/** The day of the exchange at an instant, YYYY-MM-DD. */
export function exchangeDay(instant: Instant): string {
  const parts = format('exchange day', EXCHANGE_DAY, 'market').formatToParts(new Date(instant))
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** "Mon 2 Mar" */
export const dayIn = (instant: Instant, of: Zone): string => format('day', DAY, of).format(new Date(instant))

/** "15:45", with its day if that is not today: "Tue 3 Mar, 09:30". */
export const shortTime = (instant: string, now: number, of: Zone = 'market'): string => {
  const day = dayIn(instant, of)
  return day === dayIn(now, of) ? minuteIn(instant, of) : `${day}, ${minuteIn(instant, of)}`
}

/** An instant with its zone: "10:34:54 New York". */
export const marketTime = (instant: Instant): string => `${secondIn(instant, 'market')} New York`

/** "15:45 New York", with its day if that is not today, for lists. */
export const listTime = (instant: string, now: number, of: Zone): string =>
  `${shortTime(instant, now, of)} ${ZONES[of]}`

/** Exchange time and device time, with the day if that is not today: "15:45 New York · 21:45 here". */
export function bothTimes(instant: string, now: number): string {
  const market = `${shortTime(instant, now)} New York`
  const here = minuteIn(instant, 'here')
  return here === minuteIn(instant, 'market') ? market : `${market} · ${here} here`
}

/** Time left as a clock: "0:38", "4:12", "2:05:09"; days beyond two. */
export function timeLeft(ms: number): string {
  const all = Math.max(0, Math.ceil(ms / 1_000))
  const hours = Math.floor(all / 3_600)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  const two = (value: number) => String(value).padStart(2, '0')
  const rest = `${hours > 0 ? two(Math.floor((all % 3_600) / 60)) : Math.floor(all / 60)}:${two(all % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** Age: "48 s ago", "3 min ago". */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} h ago`
    : `${Math.floor(seconds / 86_400)} days ago`
}

/** Duration: "93 ms", "1.4 s", "48 s", "4 min 12 s", "5 h 14 min", "3 days". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  if (seconds < 172_800)
    return joined(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'min')
  return `${Math.floor(seconds / 86_400)} days`
}

const joined = (whole: number, unit: string, rest: number, smaller: string): string =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
