import type { PlannedBy } from '#domain/calendar/judged.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'

/** UTC instants by the ledger's clock. */
export interface EntryByLedger {
  now: string
  /** Its sending, or the earliest time of it; null without a signal. */
  sentAt: string | null
}

/** Bounds by our own clock of when the entry filled, whatever the broker says. */
export async function readEntryByLedger(em: EntityManager, signalId: string): Promise<EntryByLedger> {
  const [row] = await em.execute<{ now: StoredInstant; sent_at: StoredInstant | null }[]>(
    `select clock_timestamp() as now,
       (select coalesce(o.sent_at, s.accepted_at) from signals s
        left join orders o on o.signal_id = s.id and o.client_order_id = s.id || '-e1' where s.id = ?) as sent_at`,
    [signalId],
  )
  return { now: instantOf(row!.now), sentAt: instantOrNull(row!.sent_at) }
}

export const listWaitingExits = (
  em: EntityManager,
  accountId: string,
): Promise<{ signalId: string; plannedBy: PlannedBy }[]> =>
  em.execute(
    `select id as "signalId", exit_calendar as "plannedBy" from signals
     where account_id = ? and exit_due_at > now() and exit_status in ('waiting', 'scheduled')
       and exit_calendar is not null`,
    [accountId],
  )

export async function symbolsWithExitsToCome(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ symbol: string }[]>(
    `select distinct symbol from signals
     where account_id = ? and filled_quantity > 0 and exit_status in ('waiting', 'scheduled', 'submitted') order by symbol`,
    [accountId],
  )
  return rows.map(({ symbol }) => symbol)
}
