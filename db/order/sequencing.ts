import { ACROSS_ZERO } from '#domain/signal/signal.ts'
import { turnEntry } from '#domain/signal/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/query.ts'

/** SQL condition: the order closes towards a target beyond zero. */
export const GOES_ACROSS = `(${ACROSS_ZERO.map(
  ({ action, position }) => `action = '${action}' and (target ->> 'position')::numeric ${position} 0`,
).join('\n    or ')})`

/** SQL condition: a continuation will open the other side; later signals wait for it. */
export const IS_CROSSING = `(target is not null and closings = 0
  and ${GOES_ACROSS})`

export interface SequencingWait {
  until: string
  /** The newest earlier signal changed since it was read: read again. */
  hasChanged: boolean
}

/**
 * A repetition keeps the first deadline. Only the newest earlier signal wakes a waiter: a long queue would wake too
 * often. The lock makes a change visible here, or the wait visible to it.
 */
export async function recordSequencingWait(
  em: EntityManager,
  signalId: string,
  { behind, newestStatus, until }: { behind: readonly string[]; newestStatus: string; until: string },
): Promise<SequencingWait> {
  const { message, key, kind, data } = turnEntry(behind, until)
  const newest = behind.at(-1) ?? null
  const [row] = await em.execute<{ until: StoredInstant; hasChanged: boolean }[]>(
    `with newest as materialized (
       select status <> ? or entry_ended_at is not null and not ${IS_CROSSING} as has_changed from signals where id = ? for share),
     waiting as (
       update signals set blocked_by = array_remove(array[?::uuid], null),
         sequencing_since = coalesce(sequencing_since, now()),
         sequencing_until = coalesce(sequencing_until, ?::timestamptz),
         advisories = case when sequencing_since is null then advisories || ?::jsonb else advisories end
       where id = ? and (select count(*) from newest) >= 0
       returning id, sequencing_since, sequencing_until),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, sequencing_since, ?, ?::jsonb from waiting on conflict (signal_id, key) do nothing)
     select sequencing_until as until, coalesce((select has_changed from newest), true) as "hasChanged" from waiting`,
    [
      newestStatus,
      newest,
      newest,
      until,
      toStorableJson([{ code: 'waits_for_earlier_signals', message }]),
      signalId,
      key,
      kind,
      message,
      toStorableJson(data),
    ],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return { until: instantOf(row.until), hasChanged: row.hasChanged }
}

export const goFirst = (em: EntityManager, signalId: string): Promise<unknown> =>
  em.execute(
    `update signals set queued_at = 'epoch', blocked_by = null, sequencing_since = null, sequencing_until = null
     where id = ?`,
    [signalId],
  )

/** Returns each waiter once per change: only one worker notifies it. */
export async function claimWaitersFor(em: EntityManager, changedId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `update signals w set blocked_by = array_remove(w.blocked_by, c.id)
     from signals c where c.id = ? and w.account_id = c.account_id and w.symbol = c.symbol
       and w.status = 'queued' and w.blocked_by is not null and c.id = any (w.blocked_by)
     returning w.id`,
    [changedId],
  )
  return rows.map(({ id }) => id)
}

export async function listWaiters(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where status = 'queued' and blocked_by is not null and decisions -> 'entry' is null`,
  )
  return rows.map(({ id }) => id)
}
