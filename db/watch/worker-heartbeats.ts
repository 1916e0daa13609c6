import type { EntityManager } from '../engine/database.ts'

/**
 * Heartbeats of workers, by the database's clock: how everybody knows within seconds whether one runs, and how workers
 * divide the connections to brokers among them.
 */

/** Seconds after which a worker that has not been heard of counts as gone. */
const GONE_AFTER = 4
/** The same for other workers, who take its connections over: to do so too early does no harm. */
const TAKEN_OVER_AFTER = 2.5

/** Says that a worker of the task queue runs, and tells the ids of all that have lately; rows of workers long gone are removed. */
export async function recordHeartbeat(
  em: EntityManager,
  { workerId, taskQueue }: { workerId: string; taskQueue: string },
): Promise<string[]> {
  const rows = await em.execute<{ worker_id: string }[]>(
    `with forgotten as (delete from worker_heartbeats where seen_at < now() - interval '1 hour'),
     beat as (
       insert into worker_heartbeats (worker_id, task_queue, seen_at) values (?, ?, now())
       on conflict (worker_id) do update set seen_at = excluded.seen_at, task_queue = excluded.task_queue
       returning worker_id)
     select worker_id from beat
     union
     select worker_id from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${TAKEN_OVER_AFTER} seconds'`,
    [workerId, taskQueue, taskQueue],
  )
  return rows.map(({ worker_id: id }) => id)
}

/** The worker stops in good order: from now on it does not count. */
export async function removeHeartbeat(em: EntityManager, workerId: string): Promise<void> {
  await em.execute('delete from worker_heartbeats where worker_id = ?', [workerId], 'run')
}

/** Whether a worker of the task queue runs. */
export async function isWorkerAlive(em: EntityManager, taskQueue: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds' limit 1`,
    [taskQueue],
  )
  return rows.length > 0
}
