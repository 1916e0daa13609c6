import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

// Runs whose workflow code fails: the watch asks Temporal about these until they continue or end.

/** Failures in a row: the first may be the worker's. */
const COUNTS_FROM = 2
/** Milliseconds for which Temporal's list may lack a run. */
export const TEMPORAL_LIST_LAG_MS = 10_000

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
  )
}

export async function listFailing(em: EntityManager, taskQueue: string, limit: number): Promise<string[]> {
  const rows = await em.execute<{ run_id: string }[]>(
    'select run_id from failing_workflows where task_queue = ? order by notified_at, run_id limit ?',
    [taskQueue, limit],
  )
  return rows.map(({ run_id: runId }) => runId)
}

/** `failures`: consecutive, by run of `asked` that still runs; others are removed. */
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
         and (k.failures = 0 or (k.failures is null and f.notified_at < now() - interval '${TEMPORAL_LIST_LAG_MS} milliseconds'))
     )
     update failing_workflows f set failures = k.failures from now_known k
     where f.run_id = k.run_id and k.failures > 0`,
    [toStorableJson(Object.fromEntries(failures)), toStorableJson(asked)],
  )
}

export const FAILING_SQL = `select count(*)::int from failing_workflows where task_queue = ? and failures >= ${COUNTS_FROM}`
