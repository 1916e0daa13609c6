import { ALERT_QUIET_MS } from '#domain/alert/alert.ts'
import type { Overdue } from '#domain/alert/overdue.ts'
import { OWN_CAUSES, overdueNotice } from '#domain/alert/overdue.ts'
import type { HaltLevel } from '#domain/risk/halt.ts'
import { listOfKinds, UNLESS_OPEN, UNLESS_SAME } from '../alert/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/query.ts'
import { activeHaltSql, bindsAccount } from '../risk/halts.ts'

const OVERDUE_AFTER_SECONDS = 15
const OVERDUE_KINDS = `('action_overdue', 'account_sync_overdue', 'snapshot_overdue', 'feed_overdue')`
const IS_OVERDUE = `due_at < now() - interval '${OVERDUE_AFTER_SECONDS} seconds'`

export interface OverdueWork extends Pick<Overdue, 'kind' | 'what' | 'dueAt'> {
  accountId: string
  signalId: string | null
  /** Always true for work on accounts. */
  isStarted: boolean
  haltLevel: HaltLevel | null
  /** Only the owner, who knows the consequences, set full stops. */
  isOwnStop: boolean
  /** An alert already explains the exit. */
  isKnownTrouble: boolean
  brokerTrouble: string | null
}

export async function findOverdueWork(em: EntityManager, limit: number): Promise<OverdueWork[]> {
  const rows = await em.execute<(Omit<OverdueWork, 'dueAt'> & { due_at: StoredInstant })[]>(
    `with overdue as (select * from due_work where ${IS_OVERDUE} order by due_at limit ?)
     select w.kind, w.what, w.due_at, w.account_id as "accountId", w.signal_id as "signalId",
       s.workflow_started_at is not null or s.id is null as "isStarted",
       ${activeHaltSql('w.owner_id', 'w.account_id')} ->> 'level' as "haltLevel",
       not exists (select from trading_halts h left join users u on u.id = h.user_id
         where h.lifted_at is null and h.level = 'fullStop' and ${bindsAccount('h', 'w.owner_id', 'w.account_id')}
           and (h.scope not in ('user', 'account') or u.email is distinct from h.set_by)) as "isOwnStop",
       exists (select from alerts where kind = 'unprotected_position' and signal_id = w.signal_id
         and resolved_at is null) and w.what in ('exit', 'exit_plan') as "isKnownTrouble",
       case when b.status = 'error' then coalesce(b.status_detail, 'its connection is in error') end as "brokerTrouble"
     from overdue w
     left join signals s on s.id = w.signal_id
     left join accounts a on a.id = w.account_id
     left join broker_connections b on b.id = a.broker_id
     order by w.due_at`,
    [limit],
  )
  return rows.map(({ due_at: dueAt, ...row }) => ({ ...row, dueAt: instantOf(dueAt) }))
}

export async function raiseOverdue(
  em: EntityManager,
  overdue: readonly (Overdue & Pick<OverdueWork, 'accountId' | 'signalId'>)[],
): Promise<void> {
  if (overdue.length === 0) return
  const rows = overdue.map(({ accountId, signalId, ...work }) => ({
    accountId,
    signalId,
    ...overdueNotice(work),
  }))
  await em.execute(
    `insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select distinct on (x.kind, coalesce(x."signalId", x."accountId"))
       a.user_id, a.id, x."signalId", x.kind, x.message, x.data
     from jsonb_to_recordset(?::jsonb) as x ("accountId" uuid, "signalId" uuid, kind text,
       message text, data jsonb)
     join accounts a on a.id = x."accountId"
     ${UNLESS_OPEN} ${UNLESS_SAME}`,
    [toStorableJson(rows)],
  )
}

const COMES_AGAIN = `kind in ${listOfKinds('after a quiet minute')}`

/** Recurring work must be done for `quiet` milliseconds. Returns the number of ended alerts. */
export async function resolveDoneWork(em: EntityManager, quiet = ALERT_QUIET_MS): Promise<number> {
  const hasEnded = `(not (${COMES_AGAIN}) or coalesce(healthy_since, now()) <= now() - ? * interval '1 millisecond')`
  const rows = await em.execute<{ hasEnded: boolean }[]>(
    `update alerts set healthy_since = coalesce(healthy_since, now()), resolved_at = case when ${hasEnded} then now() end
     where kind in ${OVERDUE_KINDS} and resolved_at is null and (healthy_since is null or ${hasEnded}) and not exists (
       select from due_work w where w.kind = alerts.kind and ${IS_OVERDUE}
         and coalesce(w.signal_id, w.account_id) = coalesce(alerts.signal_id, alerts.account_id))
     returning resolved_at is not null as "hasEnded"`,
    [quiet, quiet],
  )
  return rows.filter((row) => row.hasEnded).length
}

export async function forgetReadable(em: EntityManager): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where kind in ${listOfKinds('when read')} and resolved_at is null
       and raised_at < now() - interval '1 day'`,
  )
}

export interface OverdueCount {
  total: number
  ours: number
  feeds: number
}

/** Excludes completed work whose alert is still open. */
export async function countOverdue(em: EntityManager): Promise<OverdueCount> {
  const [row] = await em.execute<OverdueCount[]>(
    `select (select count(*)::int from (select from due_work where ${IS_OVERDUE} limit 1000) o) as total,
       (select count(*)::int from (select from due_work where kind = 'feed_overdue' and ${IS_OVERDUE} limit 1000) o)
         as feeds,
       (select count(*)::int from alerts where kind in ${OVERDUE_KINDS} and resolved_at is null and healthy_since is null
          and data ->> 'cause' in (${OWN_CAUSES.map(() => '?')})) as ours`,
    OWN_CAUSES,
  )
  return row!
}

export async function recordSyncInterval(em: EntityManager, milliseconds: number): Promise<void> {
  await em.execute(
    `insert into sync_rounds (every_seconds) values (?)
     on conflict ((true)) do update set every_seconds = excluded.every_seconds`,
    [Math.round(milliseconds / 1_000)],
  )
}

export async function recordSnapshotSchedule(
  em: EntityManager,
  { brokerType, date, from, until }: { brokerType: string; date: string; from: string; until: string },
): Promise<void> {
  await em.execute(
    `insert into snapshot_schedules (broker_type, date, due_at, until) values (?, ?, ?, ?)
     on conflict (broker_type) do update set date = excluded.date, due_at = excluded.due_at, until = excluded.until,
       planned_at = now()`,
    [brokerType, date, from, until],
  )
}
