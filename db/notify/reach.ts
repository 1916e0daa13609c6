import { noticeUnreached } from '#domain/alert/alert.ts'
import { RUNGS } from '#domain/alert/channels.ts'
import type { EntityManager } from '../engine/database.ts'
import { asArray } from '../engine/query.ts'
import { raiseAlert } from '../alert/alerts.ts'

export interface NoticeReach {
  /** Channels that were sent the notice. */
  devices: number
  reached: number
  /** UTC instant since which no channel is reachable; null where one was or may be. */
  unreachedSince: string | null
}

/** Milliseconds after which an unreached notice goes to the next rung. */
const RUNG_PATIENCE_MS = 30_000

export async function findReach(em: EntityManager, signalId: string): Promise<NoticeReach | null> {
  const [row] = await em.execute<NoticeReach[]>(
    `select devices, reached, unreached_since as "unreachedSince" from notice_reach where signal_id = ?`,
    [signalId],
  )
  return row ?? null
}

/** Counts a delivery, which a crash may repeat. */
export const noteReached = (em: EntityManager, signalId: string): Promise<void> =>
  em.transactional(async (inner) => {
    // Waits for a climb under way, so that its alert is seen next.
    await inner.execute(
      'update notice_reach set reached = least(reached + 1, devices), unreached_since = null where signal_id = ?',
      [signalId],
    )
    await inner.execute(
      `update alerts set resolved_at = now() where kind = 'notice_unreached' and signal_id = ? and resolved_at is null`,
      [signalId],
    )
  })

/** SQL, whose one parameter is the patience. Channels that send nothing any more are not waited for. */
const IS_UNREACHED = `s.status = 'pending' and r.reached = 0 and r.unreached_since is null and notice_is_wanted('waiting', h)
  and (r.notified_at < now() - least(? * interval '1 millisecond', (s.valid_until - s.accepted_at) / 4)
    or not exists (select from outbox o join channels c on c.id = o.channel_id
      where o.subject_id = r.signal_id and o.kind = 'waiting' and is_live(c)))`
const OPEN_REACHES = `notice_reach r join signals s on s.id = r.signal_id
  left join notification_choices h on h.user_id = r.user_id`

/**
 * When no channel took a notice within `patience` (ms) or a quarter of the signal's time, or none is tried, the next rung
 * gets it. After the last one an alert is raised, once.
 */
export const climbRungs = (em: EntityManager, patience = RUNG_PATIENCE_MS): Promise<number> =>
  em.transactional(async (inner) => {
    const locked = await inner.execute<{ id: string }[]>(
      `select r.signal_id as id from ${OPEN_REACHES} where ${IS_UNREACHED} for update of r skip locked`,
      [patience],
    )
    if (locked.length === 0) return 0
    // The statement that locks may see the outbox as it was before another climb.
    const rows = await inner.execute<
      { signalId: string; accountId: string; devices: number; isLast: boolean }[]
    >(
      `with unreached as materialized (
         select r.signal_id, s.account_id, s.user_id, s.valid_until, (
           select min(rung_of(c.kind)) from channels c
           where c.user_id = s.user_id and 'decision' = any (c.urgencies) and is_live(c) and rung_of(c.kind) > r.rung) as next
         from ${OPEN_REACHES} where r.signal_id = any(?::uuid[]) and ${IS_UNREACHED}
       ), notified as materialized (
         select signal_id, notify_person(user_id, signal_id, 'waiting', least(valid_until, now() + interval '24 hours'),
           int4range(next, next, '[]')) as channels
         from unreached where next is not null
       )
       update notice_reach r set rung = coalesce(u.next, rung), devices = r.devices + coalesce(n.channels, 0),
         notified_at = now(), unreached_since = case when u.next is null then now() end
       from unreached u left join notified n using (signal_id)
       where r.signal_id = u.signal_id
       returning r.signal_id as "signalId", u.account_id as "accountId", r.devices, u.next is null as "isLast"`,
      [asArray(locked.map(({ id }) => id)), patience],
    )
    for (const { signalId, accountId, devices, isLast } of rows)
      if (isLast) await raiseAlert(inner, { accountId, signalId }, noticeUnreached(devices))
    return rows.length
  })

/** Sends the notice of a waiting signal to all channels again: 5 minutes, or a quarter of its time, before it expires. */
export async function remindOfWaiting(em: EntityManager): Promise<number> {
  const rows = await em.execute<unknown[]>(
    `with ending as (
       update notice_reach r set reminded_at = now(), notified_at = now(), rung = ${RUNGS.length - 1} from signals s
       where s.id = r.signal_id and r.signal_id in (
         -- Trading settles several signals in one transaction: no lock is waited for.
         select r.signal_id from notice_reach r join signals s on s.id = r.signal_id
         where s.status = 'pending' and r.reminded_at is null and s.valid_until > now()
           and now() >= s.valid_until - least(interval '5 minutes', (s.valid_until - s.accepted_at) / 4)
         for update of r skip locked)
       returning s.id, s.user_id, s.valid_until)
     select notify_person(user_id, id, 'waiting', valid_until) from ending`,
  )
  return rows.length
}
