import { REPEATED_ALERTS } from '#domain/alert/alert.ts'
import type { EntityManager } from '../engine/database.ts'
import { asArray } from '../engine/query.ts'

const REPEATED_FIRST_AFTER = '15 minutes'

/** Notifies again of each alarm that is neither acknowledged nor over, after 15 minutes and then after twice the time. */
export async function repeatAlarms(em: EntityManager): Promise<number> {
  const rows = await em.execute<unknown[]>(
    `with repeated as (
       update alerts set notified_at = now() where id in (
         select id from alerts
         where kind = any(?::text[]) and resolved_at is null and acknowledged_at is null
           and notified_at < now() - greatest(interval '${REPEATED_FIRST_AFTER}', notified_at - raised_at)
         for update skip locked)
       returning id, user_id)
     select notify_person(user_id, id, 'alert', now() + interval '1 hour') from repeated`,
    [asArray(REPEATED_ALERTS)],
  )
  return rows.length
}

/** Services that withdraw a subscription after messages that show nothing. */
const SHOWS_EACH_MESSAGE = '%.push.apple.com'

/** Finds subscriptions that have ended before they are needed: a message each week that shows nothing. */
export async function checkBrowsers(em: EntityManager): Promise<void> {
  await em.execute(
    `with checked as (
       update channels c set checked_at = now()
       where kind = 'push' and greatest(checked_at, last_delivered_at) < now() - interval '7 days'
         and service not like ? and is_live(c)
       returning id)
     insert into outbox (channel_id, subject_id, kind, expires_at)
     select id, id, 'check', now() + interval '1 day' from checked on conflict do nothing`,
    [SHOWS_EACH_MESSAGE],
  )
}
