import type { Broker } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { listWaitingExits } from '#db/exit/exits.ts'
import { stillAsScheduled } from '#domain/time/judged-calendar.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { ExitAnnouncer } from './exit-retrigger.ts'

const BEYOND = 14

interface CalendarWatchDependencies {
  em: EntityManager
  broker: Broker
  announcer: Pick<ExitAnnouncer, 'exitCalendarChanged'>
  accountId: string
}

/** Notifies exits of a changed calendar, such as an early close; an implausible answer notifies none. */
export async function watchCalendar(
  { em, broker, announcer, accountId }: CalendarWatchDependencies,
  now: number,
): Promise<void> {
  const waiting = await listWaitingExits(em, accountId)
  if (waiting.length === 0) return
  const at = new Date(now).toISOString()
  const days = waiting.flatMap(({ scheduledBy }) => [scheduledBy.from, scheduledBy.to]).toSorted()
  const sessions = await readSessions(broker, {
    from: days[0]!,
    to: addDays(days.at(-1)!, BEYOND),
    after: at,
  })
  for (const { signalId, scheduledBy } of waiting)
    if (!stillAsScheduled(scheduledBy, sessions, at)) await announcer.exitCalendarChanged(signalId)
}
