import type { TradingSession } from '../time/session.ts'
import { addMinutes } from '../time/wall-time.ts'

/** Balances read in this window count for the end of that day of the exchange. */
export interface SnapshotWindow {
  date: string
  from: string
  until: string
}

/** Minutes until fills of the closing auction reach the balances. */
const SETTLING = 5
/** Shortest window in minutes, for a market that never closes. */
const MIN_WINDOW_MINUTES = 60

/** Windows from shortly after a close to the next opening, in order. */
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

/** The open window, else the next one; null if the sessions end earlier. */
export const snapshotWindowAt = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow | null =>
  windows.find(({ until }) => now < until) ?? null

export const pastWindows = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow[] =>
  windows.filter(({ until }) => until <= now)
