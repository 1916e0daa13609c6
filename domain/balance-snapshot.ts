import type { TradingSession } from './session.ts'
import { addMinutes } from './wall-time.ts'

/** The time in which the balances of an account are those with which a day of the exchange has ended. */
export interface SnapshotWindow {
  /** The day, YYYY-MM-DD in the exchange's zone. */
  date: string
  /** UTC instants: from then on they can be asked for, and until then. */
  from: string
  until: string
}

/** Minutes after a close in which fills of the closing auction reach the balances. */
const SETTLING = 5
/** A market that never closes begins its next day at once: so many minutes of it still count to the one before. */
const MIN_WINDOW_MINUTES = 60

/**
 * A window for each session: from shortly after its close until the next session opens. Sessions come in order; the
 * last one's window is as short as it can be, since it is not known what follows.
 */
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

/** The window that is open at an instant, or else the next to open; null when the sessions do not reach that far. */
export const snapshotWindowAt = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow | null =>
  windows.find(({ until }) => now < until) ?? null

/** The windows that are over at an instant. */
export const pastWindows = (now: string, windows: readonly SnapshotWindow[]): SnapshotWindow[] =>
  windows.filter(({ until }) => until <= now)
