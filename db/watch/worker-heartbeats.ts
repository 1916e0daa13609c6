import type { EntityManager } from '../engine/database.ts'
import { FAILING_SQL } from './failing-workflows.ts'

/**
 * Heartbeats of workers, by the database's clock: how everybody knows within seconds whether one runs, and how workers
 * divide the connections to brokers among them.
 */

/** Seconds after which a worker that has not been heard of counts as gone. */
export const GONE_AFTER = 4
/** The same for other workers, who take its connections over: to do so too early does no harm. */
const TAKEN_OVER_AFTER = 2.5

/**
 * Seconds for which workers and API may run different builds, as while one takes the place of the other. Longer than
 * that there is one that nobody has replaced.
 */
const UPDATE_TAKES = 60

/** The words of a worker about itself. */
export interface WorkerHeartbeat {
  workerId: string
  taskQueue: string
  buildId: string
  /** Whether it runs in the process of an API. */
  inApi: boolean
}

/**
 * Says that a worker of the task queue runs, and tells the ids of those that follow connections to brokers: the living ones
 * in the process of an API, or all where there is none; rows of workers long gone are removed.
 */
export async function recordHeartbeat(
  em: EntityManager,
  { workerId, taskQueue, buildId, inApi }: WorkerHeartbeat,
): Promise<string[]> {
  const rows = await em.execute<{ worker_id: string }[]>(
    `with forgotten as (delete from worker_heartbeats where seen_at < now() - interval '1 hour'),
     beat as (
       insert into worker_heartbeats (worker_id, task_queue, build_id, in_api, seen_at) values (?, ?, ?, ?, now())
       on conflict (worker_id) do update set seen_at = excluded.seen_at
       returning worker_id, in_api),
     living as (
       select worker_id, in_api from beat
       union
       select worker_id, in_api from worker_heartbeats
       where task_queue = ? and seen_at > now() - interval '${TAKEN_OVER_AFTER} seconds')
     select worker_id from living where in_api or not exists (select from living where in_api)`,
    [workerId, taskQueue, buildId, inApi, taskQueue],
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

/** The living workers of a task queue, and whether they can do their work. */
export interface WorkerCount {
  alive: number
  /** The workers that have run another build than the asking process for longer than an update takes. */
  ofOtherBuild: number
  /** Workflows that fail on their code again and again. */
  failingWorkflows: number
}

/** @param since for how many seconds the asking process has run this build */
export async function countWorkers(
  em: EntityManager,
  taskQueue: string,
  { buildId, since }: { buildId: string; since: number },
): Promise<WorkerCount> {
  const [row] = await em.execute<WorkerCount[]>(
    `select count(*)::int as alive,
       (count(*) filter (where build_id <> ? and ? >= ${UPDATE_TAKES}
          and started_at < now() - interval '${UPDATE_TAKES} seconds'))::int as "ofOtherBuild",
       (${FAILING_SQL}) as "failingWorkflows"
     from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds'`,
    [buildId, since, taskQueue, taskQueue],
  )
  return row!
}
