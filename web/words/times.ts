import { createRepeatedHour } from './repeated-hour.ts'

/** In which zone times of a timeline are shown: the exchange's, the device's, or UTC. */
export type Zone = 'market' | 'here' | 'utc'

export const ZONES = {
  market: 'New York',
  here: 'here',
  utc: 'UTC',
} as const satisfies Record<Zone, string>

const IANA = { market: 'America/New_York', here: undefined, utc: 'UTC' } as const

const formats = new Map<string, Intl.DateTimeFormat>()
/** Made once each: making one takes longer than using it a thousand times. */
function format(name: string, options: Intl.DateTimeFormatOptions, of: Zone): Intl.DateTimeFormat {
  const key = `${name} ${of}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: IANA[of] })
  formats.set(key, made)
  return made
}

const repeatedHours = new Map<Zone, (at: Date) => string>()
/** Empty but in the hour that a night has twice. */
function repeatedHour(instant: string, of: Zone): string {
  const known = repeatedHours.get(of) ?? createRepeatedHour(IANA[of])
  repeatedHours.set(of, known)
  return known(new Date(instant))
}

const SECOND = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const MINUTE = { hour: '2-digit', minute: '2-digit' } as const
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const

/** "10:29:54.018" */
export const clockIn = (instant: string, of: Zone): string =>
  format('exact', { ...SECOND, fractionalSecondDigits: 3 }, of).format(new Date(instant)) +
  repeatedHour(instant, of)

/** "10:29:54" */
export const secondIn = (instant: string, of: Zone): string =>
  format('second', SECOND, of).format(new Date(instant)) + repeatedHour(instant, of)

/** "15:45" */
export const minuteIn = (instant: string, of: Zone): string =>
  format('minute', MINUTE, of).format(new Date(instant)) + repeatedHour(instant, of)

/** "Mon 2 Mar" */
export const dayIn = (instant: string | number, of: Zone): string =>
  format('day', DAY, of).format(new Date(instant))

/** "15:45", with the day before it where that is another than now's: "Tue 3 Mar, 09:30". */
export const shortTime = (instant: string, now: number, of: Zone = 'market'): string => {
  const day = dayIn(instant, of)
  return day === dayIn(now, of) ? minuteIn(instant, of) : `${day}, ${minuteIn(instant, of)}`
}

/** How long something took: "93 ms", "1.4 s", "48 s", "4 min 12 s", "5 h 14 min", "3 days". */
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
