import { createRepeatedHour } from './repeated-hour.ts'

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 })
const twoPlaces = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const NEW_YORK = 'America/New_York'

const withMinus = (text: string): string => text.replace('-', '−')
/** Dollars: "$1,874.20", "−$3.00". */
export const money = (amount: number): string => withMinus(dollars.format(amount))
/** A number as it is, without needless places: "10", "0.125", "−40". */
export const number = (value: number): string => withMinus(plain.format(value))
/** A change in percent with its sign: "+0.36 %", "−0.48 %", "0.00 %". */
export function percent(value: number): string {
  // Without the sign of a change too small to be shown.
  const shown = Math.round(value * 100) / 100 || 0
  const figure = withMinus(twoPlaces.format(shown))
  return `${shown > 0 ? '+' : ''}${figure} %`
}
/** A change in dollars with its sign: "+$12.40", "−$3.00". */
export const gain = (amount: number): string => `${amount > 0 ? '+' : ''}${money(amount)}`

function clockIn(zone: string | undefined, seconds: boolean): (instant: string | number | Date) => string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    ...(zone !== undefined && { timeZone: zone }),
  })
  const repeatedHour = createRepeatedHour(zone)
  return (instant) => {
    const at = new Date(instant)
    return clock.format(at) + repeatedHour(at)
  }
}
const dayIn = (zone: string) =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone })
const marketMinute = clockIn(NEW_YORK, false)
const marketSecond = clockIn(NEW_YORK, true)
const hereMinute = clockIn(undefined, false)
const marketDay = dayIn(NEW_YORK)

/** An instant with its zone: "10:34:54 New York". */
export const marketTime = (instant: string | number): string => `${marketSecond(instant)} New York`

/** In exchange time and here, with the day where it is another: "15:45 New York · 21:45 here". */
export function bothTimes(instant: string, now: number): string {
  const at = new Date(instant)
  const day = marketDay.format(at) === marketDay.format(now) ? '' : `${marketDay.format(at)}, `
  const market = `${day}${marketMinute(at)} New York`
  const here = hereMinute(at)
  return here === marketMinute(at) ? market : `${market} · ${here} here`
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

/** How long ago: "48 s ago", "3 min ago". */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} h ago`
    : `${Math.floor(seconds / 86_400)} days ago`
}
