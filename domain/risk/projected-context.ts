import type { EntryContext } from './entry-check.ts'
import type { TradingSession } from '../time/session.ts'
import { instantToLocal } from '../time/wall-time.ts'
import { MINUTE_MS } from '../time/instants.ts'

/** A new minute or day has no orders, a new day no loss. `zone`: its midnight begins the day. */
export function projectedContext(
  standing: EntryContext,
  now: string,
  at: string,
  zone: string,
): EntryContext {
  const { risk } = standing
  const isSameDay = instantToLocal(now, zone).date === instantToLocal(at, zone).date
  const isSameMinute = Math.floor(Date.parse(now) / MINUTE_MS) === Math.floor(Date.parse(at) / MINUTE_MS)
  return {
    ...standing,
    risk: {
      ...risk,
      ordersThisMinute: isSameMinute ? risk.ordersThisMinute : 0,
      ordersToday: isSameDay ? risk.ordersToday : 0,
      dayStartEquity: isSameDay ? risk.dayStartEquity : null,
    },
  }
}

export interface SessionState {
  isOpen: boolean
  nextOpen: string
  nextClose: string
}

/** Null if the calendar ends earlier. */
export function sessionStateAt(at: string, sessions: readonly TradingSession[]): SessionState | null {
  const then = Date.parse(at)
  const nextClose = sessions.find(({ closesAt }) => Date.parse(closesAt) > then)
  const nextOpen = sessions.find(({ opensAt }) => Date.parse(opensAt) > then)
  if (!nextClose || !nextOpen) return null
  return {
    isOpen: Date.parse(nextClose.opensAt) <= then,
    nextOpen: nextOpen.opensAt,
    nextClose: nextClose.closesAt,
  }
}
