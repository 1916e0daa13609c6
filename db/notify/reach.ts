import { noticeUnreached } from '#domain/alert/alert.ts'
import type { EntityManager } from '../engine/database.ts'
import { raiseAlert } from '../alert/alerts.ts'

export interface NoticeReach {
  devices: number
  reached: number
  /** UTC instant since which no device is reachable; null where one was or may be. */
  unreachedSince: string | null
}

const REACHED_WITHIN_MS = 60_000

export async function findReach(em: EntityManager, signalId: string): Promise<NoticeReach | null> {
  const [row] = await em.execute<NoticeReach[]>(
    `select devices, reached, unreached_since as "unreachedSince" from push_reach where signal_id = ?`,
    [signalId],
  )
  return row ?? null
}

/** Counts a delivery, which a crash may repeat. */
export async function noteReached(em: EntityManager, signalId: string): Promise<void> {
  await em.execute(
    `with noted as (
       update push_reach set reached = least(reached + 1, devices), unreached_since = null where signal_id = ?)
     update alerts set resolved_at = now()
     where kind = 'notice_unreached' and signal_id = ? and resolved_at is null`,
    [signalId, signalId],
  )
}

/** Alerts once when no browser took the notice within `patience` (ms), or none is tried. */
export async function notifyUnreached(em: EntityManager, patience = REACHED_WITHIN_MS): Promise<number> {
  const rows = await em.execute<{ signalId: string; accountId: string; devices: number }[]>(
    `update push_reach r set unreached_since = now()
     from signals s
     where s.id = r.signal_id and s.status = 'pending' and r.reached = 0 and r.unreached_since is null
       and (r.notified_at < now() - ? * interval '1 millisecond'
         or not exists (select from push_outbox o where o.subject_id = r.signal_id and o.kind = 'waiting'))
     returning r.signal_id as "signalId", s.account_id as "accountId", r.devices`,
    [patience],
  )
  for (const { signalId, accountId, devices } of rows)
    await raiseAlert(em, { accountId, signalId }, noticeUnreached(devices))
  return rows.length
}
