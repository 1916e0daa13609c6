import { divideDown, isZero, round, subtract, type Decimal } from '#domain/money/decimal.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time/instants.ts'
import type { NotedEquity } from './ledger/equities.ts'
import type { MarketHours, Session } from './market-hours.ts'

/** Milliseconds by Alpaca's names; a day is a session. */
export const HISTORY_FRAMES_MS = {
  '1Min': MINUTE_MS,
  '5Min': 5 * MINUTE_MS,
  '15Min': 15 * MINUTE_MS,
  '1H': HOUR_MS,
  '1D': DAY_MS,
} as const
export type HistoryFrame = keyof typeof HISTORY_FRAMES_MS

type Reporting = 'market_hours' | 'extended_hours' | 'continuous'

export interface HistoryPoint {
  /** Beginning of the window; epoch milliseconds. */
  at: number
  equity: Decimal
  profit: Decimal
  /** Ratio to the base; null if that is zero. */
  profitRatio: Decimal | null
}

export interface HistoryRequest {
  frame: HistoryFrame
  reporting: Reporting
  resetsDaily: boolean
  /** Epoch milliseconds; `to` is not after now. */
  from: number
  to: number
}

interface Window {
  startsAt: number
  endsAt: number
  /** Session from which its gain counts, when counted by the day. */
  day: Session
}

const PROFIT_RATIO_PLACES = 6

/** Null for more than `limit` windows. `noted`: oldest first, including the first window's equity. */
export function portfolioHistory(
  hours: MarketHours,
  noted: readonly NotedEquity[],
  wish: HistoryRequest,
  limit: number,
): { base: Decimal; baseDate: string; points: HistoryPoint[] } | null {
  const windows: Window[] = []
  for (const window of windowsOf(hours, wish)) {
    if (windows.length === limit) return null
    windows.push(window)
  }
  const equityAt = readerOf(noted)
  const before = windows[0] ? hours.previousSession(windows[0].day.opensAt) : hours.previousSession(wish.to)
  const base = equityAt(before.closesAt)
  let dayBase = { opensAt: windows[0]?.day.opensAt, equity: base, next: base }
  const points = windows.map(({ startsAt, endsAt, day }) => {
    if (day.opensAt !== dayBase.opensAt)
      dayBase = { opensAt: day.opensAt, equity: dayBase.next, next: dayBase.next }
    const equity = equityAt(Math.min(endsAt, wish.to))
    dayBase.next = equity
    const from = wish.resetsDaily ? dayBase.equity : base
    const profit = subtract(equity, from)
    const profitRatio = isZero(from) ? null : divideDown(profit, from, PROFIT_RATIO_PLACES)
    return { at: startsAt, equity, profit: round(profit, 2), profitRatio }
  })
  return { base, baseDate: before.date, points }
}

/** Ascending instants only; the first note also counts before its instant. */
function readerOf(noted: readonly NotedEquity[]): (at: number) => Decimal {
  let place = 0
  return (at) => {
    while (place + 1 < noted.length && noted[place + 1]!.at <= at) place += 1
    return noted[place]?.equity ?? '0'
  }
}

function* windowsOf(hours: MarketHours, { frame, reporting, from, to }: HistoryRequest): Generator<Window> {
  const length = HISTORY_FRAMES_MS[frame]
  for (
    let day = firstSession(hours, from);
    day.preMarketOpensAt <= to;
    day = hours.nextSession(day.opensAt)
  ) {
    if (frame === '1D') {
      if (day.opensAt <= to) yield { startsAt: day.opensAt, endsAt: day.closesAt, day }
      continue
    }
    const [opensAt, closesAt] = {
      market_hours: [day.opensAt, day.closesAt],
      extended_hours: [day.preMarketOpensAt, day.afterHoursCloseAt],
      continuous: [day.preMarketOpensAt, hours.nextSession(day.opensAt).preMarketOpensAt],
    }[reporting] as [number, number]
    const passed = Math.max(0, Math.ceil((from - opensAt) / length))
    for (let startsAt = opensAt + passed * length; startsAt < Math.min(closesAt, to); startsAt += length)
      yield { startsAt, endsAt: Math.min(startsAt + length, closesAt), day }
  }
}

const firstSession = (hours: MarketHours, at: number): Session =>
  hours.sessionToday(at) ?? hours.nextSession(at)
