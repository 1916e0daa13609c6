import type { Routes } from '#client/types.ts'
import { money, number } from '../words/figures.ts'

/** With fewer trades a figure is chance: it has no colour, and a note. */
export const FEW_TRADES = 10
export const isFew = (trades: number): boolean => trades < FEW_TRADES

export const manyTrades = (trades: number): string => `${number(trades)} ${trades === 1 ? 'trade' : 'trades'}`

/** Number of trades behind a figure, with a mark for few. */
export const sampleOf = (trades: number): string => `${number(trades)}${isFew(trades) ? ' · few' : ''}`

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
/** Name of a weekday by its number, 1 for Monday. */
export const weekdayName = (day: number): string => WEEKDAYS[day - 1] ?? '–'

/** Hour of the day in New York: "09:00 to 10:00". */
export const hourName = (hour: number): string => `${two(hour)}:00 to ${two((hour + 1) % 24)}:00`
const two = (value: number): string => String(value).padStart(2, '0')

const LENGTHS: Readonly<Record<number, string>> = {
  0: 'under 5 minutes',
  300: '5 to 30 minutes',
  1_800: '30 minutes to 2 hours',
  7_200: '2 hours to a day',
  86_400: '1 to 5 days',
  432_000: '5 days and more',
}
/** Name of a holding time by its lower bound in seconds. */
export const lengthName = (from: number): string => LENGTHS[from] ?? '–'

type Exits = Routes['GET /api/v1/dashboard/trade-statistics']['answers'][200]['data']['exits'][number]
const EXIT_WAYS: Readonly<Record<Exits['key'], string>> = {
  time: 'Time exit',
  limit: 'Exit at a limit',
  stop: 'Exit at a stop',
  stopLimit: 'Exit at a stop limit',
  person: 'Closed by hand',
  signal: 'Closed by another signal',
  elsewhere: 'Closed at the broker',
}
export const exitWayName = (way: Exits['key']): string => EXIT_WAYS[way]

/** Cost of exits: "$3.62 · 4 unknown", made of "fees $0.42, slippage $3.20 of 12". */
export function costWords({
  exitFees,
  slippage,
  compared,
  trades,
}: Pick<Exits, 'exitFees' | 'slippage' | 'compared' | 'trades'>): { sum: string; parts: string } {
  const unknown = trades - compared
  return {
    sum: `${money(exitFees + (slippage ?? 0))}${unknown === 0 ? '' : ` · ${number(unknown)} unknown`}`,
    parts: `fees ${money(exitFees)}, slippage ${slippage === null ? 'unknown' : `${money(slippage)} of ${number(compared)}`}`,
  }
}

/** Percent of winning trades: "57.9 %". */
export const winRateWords = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} %`)
/** Dollars won for each dollar lost, without a unit as traders say it: "1.62". */
export const ratioWords = (value: number | null): string =>
  value === null ? '–' : value.toFixed(2).replace('-', '−')

/** Day of a calendar; null before the first of the month. */
export type CalendarCell = { date: string; day: number } | null

/**
 * Weeks of a month, from Monday on.
 *
 * @param month YYYY-MM
 * @param withWeekend whether Saturdays and Sundays are included
 */
export function weeksOf(month: string, withWeekend: boolean): CalendarCell[][] {
  const first = new Date(`${month}-01T12:00Z`)
  const weeks: CalendarCell[][] = []
  for (
    const at = new Date(first);
    at.getUTCMonth() === first.getUTCMonth();
    at.setUTCDate(at.getUTCDate() + 1)
  ) {
    const weekday = (at.getUTCDay() + 6) % 7
    const columns = withWeekend ? 7 : 5
    if (weekday >= columns) continue
    if (weeks.length === 0 || weekday === 0) weeks.push(Array.from({ length: columns }, () => null))
    weeks.at(-1)![weekday] = { date: at.toISOString().slice(0, 10), day: at.getUTCDate() }
  }
  return weeks
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** "March 2026" of "2026-03". */
export const monthName = (month: string): string => MONTH.format(new Date(`${month}-01T12:00Z`))

export function nextMonth(month: string, by: 1 | -1): string {
  const at = new Date(`${month}-01T12:00Z`)
  at.setUTCMonth(at.getUTCMonth() + by)
  return at.toISOString().slice(0, 7)
}

/** Benchmark on a day, as if the first day's equity had been invested in it. */
interface BenchmarkPoint {
  date: string
  value: number
}

/** Benchmark beside balances, from the first day with both, at that day's equity. */
export function besides(
  points: readonly { date: string; equity: number }[],
  bars: readonly { at: string; close: number }[],
): BenchmarkPoint[] {
  const closes = new Map(bars.map(({ at, close }) => [at.slice(0, 10), close]))
  const first = points.find(({ date }) => closes.has(date))
  if (!first) return []
  const share = first.equity / closes.get(first.date)!
  return points.flatMap(({ date }) => {
    const close = closes.get(date)
    return close === undefined ? [] : [{ date, value: close * share }]
  })
}
