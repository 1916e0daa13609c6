import { divideDown, isZero, round, subtract, type Decimal } from '#domain/decimal.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time-units.ts'
import type { NotedEquity } from './ledger/equities.ts'
import type { MarketHours, Session } from './market-hours.ts'

/** Lengths of the windows of a history in milliseconds, by Alpaca's names; a day is a session. */
export const HISTORY_FRAMES_MS = {
  '1Min': MINUTE_MS,
  '5Min': 5 * MINUTE_MS,
  '15Min': 15 * MINUTE_MS,
  '1H': HOUR_MS,
  '1D': DAY_MS,
} as const
export type HistoryFrame = keyof typeof HISTORY_FRAMES_MS

/** Which part of a day has windows: the session, the hours around it too, or all of it. */
type Reporting = 'market_hours' | 'extended_hours' | 'continuous'

/** The worth of an account at the end of a window, beside what it was compared with. */
export interface HistoryPoint {
  /** Where the window begins; epoch milliseconds. */
  at: number
  equity: Decimal
  profit: Decimal
  /** Profit as a part of the base; null where that is nothing. */
  profitRatio: Decimal | null
}

export interface HistoryWish {
  frame: HistoryFrame
  reporting: Reporting
  /** Whether gains are counted anew from each close. */
  resetsDaily: boolean
  /** Epoch milliseconds, `to` not after now. */
  from: number
  to: number
}

interface Window {
  startsAt: number
  endsAt: number
  /** The session that its gain is counted from, when it is counted by the day. */
  day: Session
}

const PROFIT_RATIO_PLACES = 6

/**
 * The course of an account's equity, from what was noted of it.
 *
 * @param noted oldest first, the one that held at the first window included
 * @param limit of windows
 * @returns null when there are more windows
 */
export function portfolioHistory(
  hours: MarketHours,
  noted: readonly NotedEquity[],
  wish: HistoryWish,
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

/** Reads the worth at instants that never go back; before the first note that one holds. */
function readerOf(noted: readonly NotedEquity[]): (at: number) => Decimal {
  let place = 0
  return (at) => {
    while (place + 1 < noted.length && noted[place + 1]!.at <= at) place += 1
    return noted[place]?.equity ?? '0'
  }
}

function* windowsOf(hours: MarketHours, { frame, reporting, from, to }: HistoryWish): Generator<Window> {
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

/** The session of the day in New York, or else the next one. */
const firstSession = (hours: MarketHours, at: number): Session =>
  hours.sessionToday(at) ?? hours.nextSession(at)
