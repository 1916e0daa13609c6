import type { Broker } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { listWaitingExits } from '#db/signals/exit-plans.ts'
import { stillAsPlanned } from '#domain/calendar/judged.ts'
import { addDays } from '#domain/wall-time.ts'

/** Days after the last one that an exit was planned by: as far as the plan itself looked. */
const BEYOND = 14

/** Tells the workflow of a signal. */
export interface CalendarAnnouncer {
  /** Has an exit that waits for its time planned again. Does nothing when none does. */
  exitCalendarChanged(signalId: string): Promise<void>
}

export interface CalendarWatchDependencies {
  em: EntityManager
  broker: Broker
  announcer: CalendarAnnouncer
  accountId: string
}

/**
 * Compares the broker's calendar with the days by which the waiting exits of an account were planned, and has those planned
 * again of which it says something else: an exchange may announce an early close, or a day of mourning, meanwhile. The
 * broker is asked only while exits wait. An answer that cannot be believed wakes nobody.
 *
 * @param now milliseconds since the epoch
 */
export async function watchCalendar(
  { em, broker, announcer, accountId }: CalendarWatchDependencies,
  now: number,
): Promise<void> {
  const waiting = await listWaitingExits(em, accountId)
  if (waiting.length === 0) return
  const at = new Date(now).toISOString()
  const from = waiting.map(({ plannedBy }) => plannedBy.from).toSorted()[0]!
  const last = waiting
    .map(({ plannedBy }) => plannedBy.to)
    .toSorted()
    .at(-1)!
  const sessions = await readSessions(broker, { from, to: addDays(last, BEYOND), after: at })
  for (const { signalId, plannedBy } of waiting)
    if (!stillAsPlanned(plannedBy, sessions, at)) await announcer.exitCalendarChanged(signalId)
}
