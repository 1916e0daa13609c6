import type { TradingSession } from '../time/session.ts'
import { addMinutes } from '../time/wall-time.ts'

/** In this time an account's balances are those at the end of a day of the exchange. */
export interface SnapshotWindow {
  date: string
  from: string
  until: string
}

/** Minutes after a close in which fills of the closing auction reach the balances. */
const SETTLING = 5
/** Of a market that never closes: so many minutes of a day count to the one before. */
const MIN_WINDOW_MINUTES = 60

/** From shortly after a close to the next opening. In order; the last window is as short as possible. */
export const snapshotWindows = (sessions: readonly TradingSession[]): SnapshotWindow[] =>
  sessions.map(({ date, closesAt }, index) => {
    const shortest = addMinutes(closesAt, MIN_WINDOW_MINUTES)
    const nextOpen = sessions[index + 1]?.opensAt
    return {
      date,
      from: addMinutes(closesAt, SETTLING),
      until: nextOpen !== undefined && nextOpen > shortest ? nextOpen : shortest,
    }
  })

/** The open one, or else the next; null when the sessions do not reach that far. */
export const snapshotWindowAt = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow | null =>
  windows.find(({ until }) => now < until) ?? null

export const pastWindows = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow[] =>
  windows.filter(({ until }) => until <= now)
