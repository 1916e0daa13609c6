import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'

/** Triggers write these, see `migrations/live-trigger.ts`. */
export const LIVE_TOPICS = [
  'signal',
  'group',
  'order',
  'position',
  'account',
  'alert',
  'trade',
  'halt',
  'broker',
  'user',
] as const
export type LiveTopic = (typeof LIVE_TOPICS)[number]

export interface LiveChange {
  userId: string
  /** Null for records of no account, or of all. */
  accountId: string | null
  topic: LiveTopic
  subjectId: string
  at: Date
}

export interface Reading {
  /** PostgreSQL's snapshot: the next events are of transactions invisible to it; late commits are not missed. */
  snapshot: string
  /** Transaction before which all was visible. Later changes may repeat. */
  position: string
}

/** Each record once, by last change. */
export interface LiveNews extends Reading {
  changes: LiveChange[]
  /** False when events were removed or too many: read records again. */
  isComplete: boolean
}

interface NewsRow {
  snapshot: string
  position: string
  removed: boolean
  changes: (Omit<LiveChange, 'at'> & { at: string })[]
}

export async function startReading(em: EntityManager): Promise<Reading> {
  const [row] = await em.execute<Reading[]>(
    `select pg_current_snapshot()::text as snapshot, pg_snapshot_xmin(pg_current_snapshot())::text as position`,
  )
  return row!
}

export async function readNews(
  em: EntityManager,
  userIds: readonly string[],
  { snapshot }: Reading,
  most: number,
): Promise<LiveNews> {
  return news(
    em,
    {
      since: { sql: `pg_snapshot_xmin(?::pg_snapshot)`, parameters: [snapshot] },
      // Earlier transactions ran for as long as the reading is old.
      kept: { sql: `pg_snapshot_xmax(?::pg_snapshot)`, parameters: [snapshot] },
      which: {
        sql: `user_id = any(?::uuid[]) and not pg_visible_in_snapshot(xact, ?::pg_snapshot)`,
        parameters: [asArray(userIds), snapshot],
      },
    },
    most,
  )
}

export async function changesSince(
  em: EntityManager,
  userId: string,
  position: string,
  most: number,
): Promise<LiveNews> {
  const place = { sql: `?::xid8`, parameters: [position] }
  return news(em, { since: place, kept: place, which: { sql: `user_id = ?`, parameters: [userId] } }, most)
}

/**
 * `since`: first transaction to read; `kept`: first whose events must exist. After a restoration to another server,
 * transaction numbers not reached yet are ignored in events, and incomplete as clients' places.
 */
async function news(
  em: EntityManager,
  { since, kept, which }: Record<'since' | 'kept' | 'which', { sql: string; parameters: unknown[] }>,
  most: number,
): Promise<LiveNews> {
  const [row] = await em.execute<NewsRow[]>(
    `with reading as (
       select ${since.sql} as since, ${kept.sql} as kept, pg_current_snapshot() as snapshot, pg_snapshot_xmax(pg_current_snapshot()) as next)
     select snapshot::text, pg_snapshot_xmin(snapshot)::text as position,
       since > next or exists (select from live_events_removed where up_to >= kept and up_to < next) as removed,
       coalesce((
         select jsonb_agg(jsonb_build_object(
           'userId', user_id, 'accountId', account_id, 'topic', topic, 'subjectId', subject_id, 'at', at
         ) order by place)
         from (
           select user_id, account_id, topic, subject_id, max(at) as at, max(id) as place
           from live_events where xact >= since and xact < next and ${which.sql}
           group by user_id, account_id, topic, subject_id limit ?
         ) changed), '[]') as changes
     from reading`,
    [...since.parameters, ...kept.parameters, ...which.parameters, most + 1],
  )
  const { snapshot, position, removed, changes } = row!
  const isComplete = !removed && changes.length <= most
  return {
    snapshot,
    position,
    isComplete,
    changes: isComplete ? changes.map((change) => ({ ...change, at: new Date(change.at) })) : [],
  }
}

/** Removes old events, and notes that. Safe to repeat and to run concurrently. */
export async function removeOldEvents(em: EntityManager, milliseconds: number): Promise<void> {
  await em.execute(
    `with server as (select pg_snapshot_xmax(pg_current_snapshot()) as next),
     gone as (
       delete from live_events using server
       where at < now() - make_interval(secs => ?) or xact >= next returning xact)
     update live_events_removed set up_to = greatest(
       case when up_to < next then up_to else '0' end, (select max(xact) from gone where xact < next))
     from server`,
    [milliseconds / 1_000],
  )
}
