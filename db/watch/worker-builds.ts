import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { GONE_AFTER } from './worker-heartbeats.ts'

/**
 * Builds of the workers that are rolled out one after the other, and the patches of the workflow code that each has used.
 * A build uses a patch only while it is promoted; both are decided under the lock of its row.
 */

/**
 * Patches that a build does not know, as far as is known: it has not used them, and no build had before it was promoted.
 * Whichever build used them, for a workflow that went a new way goes on after that one is gone.
 */
const UNKNOWN_PATCHES = `select patch_id from workflow_patches group by patch_id
  having not bool_or(build_id = ?::text) and min(used_at) >= coalesce(
    (select promoted_at from worker_builds where build_id = ?::text), '-infinity')
  order by patch_id`

/**
 * Whether a build can follow what workers of others did: it knows all patches that were used, or it was never rolled out before,
 * so that it is newer.
 */
export async function canFollow(em: EntityManager, buildId: string): Promise<boolean> {
  const [row] = await em.execute<{ can: boolean }[]>(
    `select not exists (${UNKNOWN_PATCHES}) or not exists (select from worker_builds where build_id = ?) as can`,
    [buildId, buildId, buildId],
  )
  return row!.can
}

/** The build may use the patches that it brings from now on. */
export async function promoteBuild(em: EntityManager, buildId: string): Promise<void> {
  await em.execute(
    `insert into worker_builds (build_id, promoted_at) values (?, now())
     on conflict (build_id) do update set promoted_at = coalesce(worker_builds.promoted_at, now())`,
    [buildId],
    'run',
  )
}

/** The build is known to be rolled out, and may not use the patches that it brings yet. */
export async function announceBuild(em: EntityManager, buildId: string): Promise<void> {
  await em.execute('insert into worker_builds (build_id) values (?) on conflict do nothing', [buildId], 'run')
}

/**
 * Takes a build's promotion back, so that it uses no further patch, unless one was used that the other build does not know.
 *
 * @param to the build that is to take its tasks
 * @returns the patches for which it stays promoted; none when it was taken back
 */
export async function withdrawBuild(em: EntityManager, buildId: string, to: string): Promise<string[]> {
  return em.fork().transactional(async (inner) => {
    await inner.execute('select from worker_builds where build_id = ? for update', [buildId])
    const unknown = await inner.execute<{ patch_id: string }[]>(UNKNOWN_PATCHES, [to, to])
    if (unknown.length === 0)
      await inner.execute('update worker_builds set promoted_at = null where build_id = ?', [buildId], 'run')
    return unknown.map(({ patch_id: id }) => id)
  })
}

/** Notes that a build uses a patch, if it is promoted; false when it is not, and must not use it. */
export async function usePatch(em: EntityManager, buildId: string, patchId: string): Promise<boolean> {
  const used = await em.execute<unknown[]>(
    `insert into workflow_patches (patch_id, build_id)
     select ?, build_id from (
       select build_id from worker_builds where build_id = ? and promoted_at is not null for share) promoted
     on conflict (patch_id, build_id) do update set build_id = excluded.build_id
     returning patch_id`,
    [patchId, buildId],
  )
  return used.length > 0
}

/** Living workers of a task queue, by build. */
export async function workersByBuild(em: EntityManager, taskQueue: string): Promise<Map<string, number>> {
  const rows = await em.execute<{ build_id: string; workers: number }[]>(
    `select build_id, count(*)::int as workers from worker_heartbeats
     where task_queue = ? and seen_at > now() - interval '${GONE_AFTER} seconds' group by build_id`,
    [taskQueue],
  )
  return new Map(rows.map(({ build_id: id, workers }) => [id, workers]))
}

/** The builds that were ever given tasks, with the UTC instant since when each is promoted; null for one that is not. */
export async function promotionsOf(em: EntityManager): Promise<Map<string, string | null>> {
  const rows = await em.execute<{ build_id: string; promoted_at: StoredInstant | null }[]>(
    'select build_id, promoted_at from worker_builds',
  )
  return new Map(rows.map(({ build_id: id, promoted_at: at }) => [id, at === null ? null : instantOf(at)]))
}

/** The patches that each build has used, in the order of their names. */
export async function patchesByBuild(em: EntityManager): Promise<Map<string, string[]>> {
  const rows = await em.execute<{ build_id: string; patches: string[] }[]>(
    `select build_id, array_agg(patch_id order by patch_id) as patches from workflow_patches group by build_id`,
  )
  return new Map(rows.map(({ build_id: id, patches }) => [id, patches]))
}
