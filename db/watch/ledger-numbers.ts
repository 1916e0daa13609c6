import { ALERT_KINDS } from '#domain/alert/alert.ts'
import type { EntityManager } from '../engine/database.ts'
import { POSITIONS_BY_COVER } from '../position/position-cover.ts'
import { countOverdue } from './overdue-work.ts'
import { FAILING_SQL } from './failing-workflows.ts'
import { GONE_AFTER } from './worker-heartbeats.ts'

export interface LedgerNumbers {
  /** Signals with an exit ahead; late: by over 15 seconds; parked: alerted shares without exit. */
  exits: Record<'waiting' | 'due' | 'late' | 'parked', number>
  alerts: Record<string, number>
  overdue: number
  silentFeeds: number
  /** Seconds since the oldest last comparison; 0 without accounts. */
  feedLag: number
  unknownOutcomes: number
  unknownOutcomeAge: number
  /** Positions covered in full by exits, and others, by mode. */
  positions: Record<'demo' | 'live', { protected: number; unprotected: number }>
  /** Seconds since the oldest price watched for exits; 0 without any. */
  watchedPriceAge: number
  workers: number
  failingWorkflows: number
  /** The last archiving failed, or a segment waits over {@link ARCHIVED_WITHIN} s; false without archiving. */
  isLogArchiveFailing: boolean
}

/** Seconds for a 16 MB segment; then its command counts as hanging. */
export const ARCHIVED_WITHIN = 15

/** SQL condition: the last complete segment is not archived; timelines change in a recovery. */
const SEGMENT_WAITS = `last_archived_time < now() - interval '${ARCHIVED_WITHIN} seconds'
  and substr(last_archived_wal, 9, 16) collate "C" < substr(pg_walfile_name(
    pg_current_wal_lsn() - pg_size_bytes(current_setting('wal_segment_size'))), 9, 16)`

/** PostgreSQL keeps failures from before archiving was disabled, and reports no hanging command. */
const LOG_ARCHIVE_FAILING = `(
  select current_setting('archive_mode') <> 'off' and (
    failed_count > 0 and (last_archived_time is null or last_failed_time > last_archived_time)
    or coalesce(${SEGMENT_WAITS}, false))
  from pg_stat_archiver)`

export async function readLedgerNumbers(em: EntityManager, taskQueue: string): Promise<LedgerNumbers> {
  const { total, feeds } = await countOverdue(em)
  const [row] = await em.execute<
    (Omit<LedgerNumbers, 'alerts' | 'overdue' | 'silentFeeds' | 'exits' | 'positions'> &
      LedgerNumbers['exits'] & {
        alerts: Record<string, number> | null
        covered: { is_demo: boolean; protected: number; unprotected: number }[] | null
      })[]
  >(
    `select e.*, u.*, f.*,
       (select count(*)::int from alerts where kind = 'unprotected_position' and resolved_at is null) as parked,
       (select jsonb_object_agg(kind, n) from (
          select kind, count(*)::int as n from alerts where resolved_at is null group by kind) a) as alerts,
       (select json_agg(c) from (${POSITIONS_BY_COVER}) c) as covered,
       (select coalesce(extract(epoch from now() - min(price_at)), 0)::float8 from protections
        where ended_at is null and updated_at > now() - interval '1 minute') as "watchedPriceAge",
       (select count(*)::int from worker_heartbeats
        where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds') as workers,
       (${FAILING_SQL}) as "failingWorkflows",
       ${LOG_ARCHIVE_FAILING} as "isLogArchiveFailing"
     from (
       select (count(*) filter (where exit_due_at > now()))::int as waiting,
         (count(*) filter (where exit_due_at <= now() and exit_due_at >= now() - interval '15 seconds'))::int as due,
         (count(*) filter (where exit_due_at < now() - interval '15 seconds'))::int as late
       from signals where exit_due_at is not null and exit_status in ('waiting', 'scheduled')) e,
     (select count(*)::int as "unknownOutcomes",
         coalesce(extract(epoch from now() - min(updated_at)), 0)::float8 as "unknownOutcomeAge"
       from signals where status = 'transmitted') u,
     (select coalesce(extract(epoch from now() - min(coalesce(compared_at, b.updated_at))), 0)::float8 as "feedLag"
       from accounts a join broker_connections b on b.id = a.broker_id
       left join account_feeds on account_id = a.id where a.is_active) f`,
    [taskQueue, taskQueue],
  )
  const { waiting, due, late, parked, alerts, covered, ...numbers } = row!
  const positionsOf = (isDemo: boolean) => {
    const found = covered?.find((each) => each.is_demo === isDemo)
    return { protected: found?.protected ?? 0, unprotected: found?.unprotected ?? 0 }
  }
  return {
    ...numbers,
    exits: { waiting, due, late, parked },
    // A series must not begin with its first alert.
    alerts: Object.fromEntries(ALERT_KINDS.map((kind) => [kind, alerts?.[kind] ?? 0])),
    positions: { demo: positionsOf(true), live: positionsOf(false) },
    overdue: total,
    silentFeeds: feeds,
  }
}
