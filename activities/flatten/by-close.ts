import { beginFlat, activeFlats } from '#db/flatten/by-close.ts'
import { nextFlatWindow } from '#domain/exit/flat-by-close.ts'
import type { TradingSession } from '#domain/time/session.ts'
import type { FlatByCloseLook } from '#workflows/flatten/contract.ts'
import type { FlattenDependencies } from './round.ts'

/** A decree may close an exchange at short notice. */
const CLOSE_KNOWN_FOR_MS = 300_000
const REACH_MS = 75_000
/** Share of the remaining time. */
const LATE_ALARM_SHARE = 0.5

type Dependencies = Pick<FlattenDependencies, 'em' | 'calendar' | 'now'>

/** Begins flattening once for each session end; after a downtime while the session is open. */
export async function beginFlatByClose(deps: Dependencies): Promise<FlatByCloseLook> {
  const { em, now, calendar } = deps
  const sessionsOf = (accountId: string) =>
    calendar.sessionsByAnyMeans(accountId, new Date(now()).toISOString(), CLOSE_KNOWN_FOR_MS)
  const begun: string[] = []
  let next: number | null = null
  const calendars = new Map<string, readonly TradingSession[]>()
  for (const flat of await activeFlats(em)) {
    const sessions = calendars.get(flat.accountId) ?? (await sessionsOf(flat.accountId))
    calendars.set(flat.accountId, sessions)
    const at = now()
    const window = nextFlatWindow(sessions, flat, at)
    if (window === null) continue
    const { session, from, until } = window
    if (from > at) {
      if (from - at <= REACH_MS) next = Math.min(next ?? from, from)
      continue
    }
    const alarmAt = Math.max(window.alarmAt, at + (until - at) * LATE_ALARM_SHARE)
    const id = await beginFlat(em, {
      flat,
      day: session.date,
      closesAt: session.closesAt,
      alarmAt: new Date(alarmAt).toISOString(),
    })
    if (id !== null) begun.push(id)
  }
  return { begun, next: next === null ? null : new Date(next).toISOString() }
}
