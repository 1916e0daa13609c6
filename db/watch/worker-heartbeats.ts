import type { EntityManager } from '../engine/database.ts'

/** Heartbeats of workers, by the database's clock: how everybody knows within seconds whether one runs. */

/** Seconds after which a worker that has not been heard of counts as gone. */
const GONE_AFTER = 4

/** Says that a worker of the task queue runs; rows of workers that are long gone are removed. */
export async function recordHeartbeat(
  em: EntityManager,
  { workerId, taskQueue }: { workerId: string; taskQueue: string },
): Promise<void> {
  await em.execute(
    `with forgotten as (delete from worker_heartbeats where seen_at < now() - interval '1 hour')
     insert into worker_heartbeats (worker_id, task_queue, seen_at) values (?, ?, now())
     on conflict (worker_id) do update set seen_at = excluded.seen_at, task_queue = excluded.task_queue`,
    [workerId, taskQueue],
    'run',
  )
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
