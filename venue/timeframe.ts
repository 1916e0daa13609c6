import { HOUR_MS, MINUTE_MS } from '#domain/time/instants.ts'

/** Milliseconds, or sessions by day, week or months. */
export type Timeframe =
  { unit: 'clock'; length: number } | { unit: 'day' | 'week'; amount: 1 } | { unit: 'month'; amount: number }

const MOST_MINUTES_A_BAR = 59
const MOST_HOURS_A_BAR = 23
const MONTHS = [1, 2, 3, 4, 6, 12]

/** Alpaca's names, such as 15Min, 1D and 3Month; null for other texts. */
export function parseTimeframe(text: string): Timeframe | null {
  const [, digits = '', unit = ''] = /^(\d{1,2})(Min|T|Hour|H|Day|D|Week|W|Month|M)$/.exec(text) ?? []
  const amount = Number(digits)
  if (amount < 1) return null
  if (unit === 'Min' || unit === 'T')
    return amount <= MOST_MINUTES_A_BAR ? { unit: 'clock', length: amount * MINUTE_MS } : null
  if (unit === 'Hour' || unit === 'H')
    return amount <= MOST_HOURS_A_BAR ? { unit: 'clock', length: amount * HOUR_MS } : null
  if (unit === 'Month' || unit === 'M') return MONTHS.includes(amount) ? { unit: 'month', amount } : null
  return amount === 1 ? { unit: unit.startsWith('D') ? 'day' : 'week', amount } : null
}
