import type { EntityManager } from '../engine/database.ts'

/** SQL. */
export const IS_TO_SPREAD = 'not is_spread'

/** Times the webhooks of a person, in one statement. */
const SPREAD_AT_ONCE = 50
const EVENTS_KEPT_FOR_DAYS = 14
const MOST_SENT_AGAIN = 10_000

const TO_OUTBOX = `insert into outbox (channel_id, subject_id, kind, due_at, expires_at)
  select c.id, e.id, 'event', case when c.paused_at is null then now() else 'infinity' end,
    e.at + interval '${EVENTS_KEPT_FOR_DAYS} days'`
const WANTS = `c.kind = 'webhook' and c.user_id = e.user_id and split_part(e.type, '.', 1) = any (c.events)`
/** A webhook is paused before its events are due, or after: not in between. */
const IN_ORDER = 'order by e.id'
const FOR_SHARE = 'for share of c'

/** Gives new events to the webhooks that asked for their kind. Returns the number of events. */
export async function spreadEvents(em: EntityManager): Promise<number> {
  const [row] = await em.execute<{ spread: number }[]>(
    `with fresh as (
       select id from webhook_events where ${IS_TO_SPREAD} order by id limit ? for update skip locked
     ), e as (
       update webhook_events set is_spread = true where id in (select id from fresh) returning id, user_id, type, at
     ), given as (${TO_OUTBOX} from e join channels c on ${WANTS} ${IN_ORDER} ${FOR_SHARE} on conflict do nothing)
     select count(*)::int as spread from e`,
    [SPREAD_AT_ONCE],
  )
  return row!.spread
}

/** Sends one event again, or the first 10,000 since an instant; under their ids. Returns the number. */
export async function sendAgain(
  em: EntityManager,
  userId: string,
  channelId: string,
  which: { eventId: string } | { since: string },
): Promise<number> {
  const [sql, value] = 'eventId' in which ? ['e.id = ?', which.eventId] : ['e.at >= ?', which.since]
  const rows = await em.execute<unknown[]>(
    `${TO_OUTBOX} from webhook_events e join channels c on ${WANTS}
     where c.id = ? and c.user_id = ? and ${sql} ${IN_ORDER} limit ${MOST_SENT_AGAIN} ${FOR_SHARE}
     on conflict (channel_id, subject_id, is_gathered) do update
       set due_at = excluded.due_at, expires_at = excluded.expires_at, attempts = 0
     returning id`,
    [channelId, userId, value],
  )
  return rows.length
}

/** Safe to repeat. */
export async function removeOldWebhookEvents(em: EntityManager): Promise<void> {
  await em.execute(`delete from webhook_events where at < now() - make_interval(days => ?)`, [
    EVENTS_KEPT_FOR_DAYS,
  ])
  await em.execute(`delete from deliveries where at < now() - make_interval(days => ?)`, [
    EVENTS_KEPT_FOR_DAYS,
  ])
}
