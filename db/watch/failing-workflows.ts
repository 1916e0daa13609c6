import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/**
 * Runs of workflows whose code fails on what it is to do next. The worker that meets one writes it down, and the watch
 * asks Temporal about these runs alone until they go on or have ended.
 */

/** Failures in a row from which on a run counts: the first may be one of the worker, and not of its code. */
const COUNTS_FROM = 2
/** Milliseconds for which Temporal's list of what runs may lack a run after its start. */
export const TEMPORAL_LIST_LAG_MS = 10_000

/** Writes down that tasks of these runs have failed. */
export async function recordFailedTasks(
  em: EntityManager,
  taskQueue: string,
  runIds: readonly string[],
): Promise<void> {
  await em.execute(
    `insert into failing_workflows (run_id, task_queue)
     select run_id, ? from jsonb_array_elements_text(?::jsonb) as told (run_id)
     on conflict (run_id) do nothing`,
    [taskQueue, toStorableJson(runIds)],
    'run',
  )
}

/** Some of the runs that may still fail, those first that were told of first. */
export async function listFailing(em: EntityManager, taskQueue: string, limit: number): Promise<string[]> {
  const rows = await em.execute<{ run_id: string }[]>(
    'select run_id from failing_workflows where task_queue = ? order by told_at, run_id limit ?',
    [taskQueue, limit],
  )
  return rows.map(({ run_id: runId }) => runId)
}

/**
 * Keeps how often runs have failed in a row, and forgets those that do not fail any more.
 *
 * @param asked the runs that Temporal was asked about
 * @param failures of those of them that run
 */
export async function keepFailing(
  em: EntityManager,
  asked: readonly string[],
  failures: ReadonlyMap<string, number>,
): Promise<void> {
  await em.execute(
    `with now_known as (
       select told.run_id, (?::jsonb ->> told.run_id)::int as failures
       from jsonb_array_elements_text(?::jsonb) as told (run_id)
     ), over as (
       delete from failing_workflows f using now_known k
       where f.run_id = k.run_id
         and (k.failures = 0 or (k.failures is null and f.told_at < now() - interval '${TEMPORAL_LIST_LAG_MS} milliseconds'))
     )
     update failing_workflows f set failures = k.failures from now_known k
     where f.run_id = k.run_id and k.failures > 0`,
    [toStorableJson(Object.fromEntries(failures)), toStorableJson(asked)],
    'run',
  )
}

/** How many workflows fail again and again. */
export const FAILING_SQL = `select count(*)::int from failing_workflows where task_queue = ? and failures >= ${COUNTS_FROM}`
