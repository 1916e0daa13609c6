import type { EntityManager } from '../engine/database.ts'
import { FAILING_SQL } from './failing-workflows.ts'

// Heartbeats, by the database's clock, show living workers and divide broker connections among them.

/** Seconds of silence after which a worker counts as gone. */
export const GONE_AFTER = 4
/** Seconds for takeovers of connections, which are harmless too early. */
const TAKEN_OVER_AFTER = 2.5

/** Seconds for which builds may differ, as during an update. */
const UPDATE_LASTS = 60

export interface WorkerHeartbeat {
  workerId: string
  taskQueue: string
  buildId: string
}

export async function recordHeartbeat(
  em: EntityManager,
  { workerId, taskQueue, buildId }: WorkerHeartbeat,
): Promise<string[]> {
  const rows = await em.execute<{ worker_id: string }[]>(
    `with forgotten as (delete from worker_heartbeats where seen_at < now() - interval '1 hour'),
     beat as (
       insert into worker_heartbeats (worker_id, task_queue, build_id, seen_at) values (?, ?, ?, now())
       on conflict (worker_id) do update set seen_at = excluded.seen_at
       returning worker_id)
     select worker_id from beat
     union
     select worker_id from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${TAKEN_OVER_AFTER} seconds'`,
    [workerId, taskQueue, buildId, taskQueue],
  )
  return rows.map(({ worker_id: id }) => id)
}

export async function removeHeartbeat(em: EntityManager, workerId: string): Promise<void> {
  await em.execute('delete from worker_heartbeats where worker_id = ?', [workerId])
}

export async function isWorkerAlive(em: EntityManager, taskQueue: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds' limit 1`,
    [taskQueue],
  )
  return rows.length > 0
}

export interface WorkerCount {
  alive: number
  /** Workers on another build for longer than an update takes. */
  ofOtherBuild: number
  failingWorkflows: number
}

/** `since`: seconds for which this process has run its build. */
export async function countWorkers(
  em: EntityManager,
  taskQueue: string,
  { buildId, since }: { buildId: string; since: number },
): Promise<WorkerCount> {
  const [row] = await em.execute<WorkerCount[]>(
    `select count(*)::int as alive,
       (count(*) filter (where build_id <> ? and ? >= ${UPDATE_LASTS}
          and started_at < now() - interval '${UPDATE_LASTS} seconds'))::int as "ofOtherBuild",
       (${FAILING_SQL}) as "failingWorkflows"
     from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds'`,
    [buildId, since, taskQueue, taskQueue],
  )
  return row!
}
