import { ACROSS_ZERO } from '#domain/signal.ts'
import { turnEntry } from '#domain/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'

/**
 * SQL condition on a signal: it closes a position so that another signal, which is not stored yet, can open the other side. Until it
 * is, whatever comes later waits.
 */
export const IS_CROSSING = `(target is not null and closings = 0
  and (${ACROSS_ZERO.map(
    ({ action, position }) => `action = '${action}' and (target ->> 'position')::numeric ${position} 0`,
  ).join('\n    or ')}))`

/** Signals that wait for earlier ones of their account and symbol. */

/** The outcome of recording a wait. */
export interface SequencingWait {
  /** Until when the signal waits at most; UTC instant. */
  until: string
  /** The newest of the earlier signals has changed since it was looked at. Its change wakes nobody: look again. */
  hasChanged: boolean
}

/**
 * Records for which earlier signals a signal waits, and until when at most. A repetition keeps the first deadline and adds
 * no second advisory.
 *
 * A change of the newest of them alone wakes it. All have to make way, so none is missed for good: it looks at all of them
 * then, and goes on waiting for the newest that is left. In a queue of a thousand the others would wake everyone a
 * thousand times. The newest one is locked meanwhile: a change either is seen here, or finds the wait on record.
 *
 * @param behind the oldest first
 * @param newestStatus of the last of them, as it was when it was looked at
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
       update signals set sequenced_behind = array_remove(array[?::uuid], null),
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

/**
 * The signals that wait for a changed one. Each is returned once for that change: only one of several workers notifies it.
 */
export async function claimWaitersFor(em: EntityManager, changedId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `update signals w set sequenced_behind = array_remove(w.sequenced_behind, c.id)
     from signals c where c.id = ? and w.account_id = c.account_id and w.symbol = c.symbol
       and w.status = 'queued' and w.sequenced_behind is not null and c.id = any (w.sequenced_behind)
     returning w.id`,
    [changedId],
  )
  return rows.map(({ id }) => id)
}

/** Every signal that waits for an earlier one; for a worker that may have missed changes. */
export async function listWaiters(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where status = 'queued' and sequenced_behind is not null and decisions -> 'entry' is null`,
  )
  return rows.map(({ id }) => id)
}
