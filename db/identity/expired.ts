import type { EntityManager } from '../engine/database.ts'

/** Sessions that sent signals remain: without its token a signal would look like a person's. */
export async function removeExpiredIdentity(em: EntityManager): Promise<void> {
  for (const statement of [
    `delete from one_time_secrets where expires_at < now() - interval '1 day'`,
    `delete from pending_registrations where expires_at < now() - interval '1 day'`,
    `delete from device_grants where expires_at < now() - interval '1 day'`,
    `delete from event_tickets where expires_at < now() - interval '1 day'`,
    `delete from sessions where least(coalesce(ended_at, expires_at), expires_at) < now() - interval '90 days'
       and not exists (select from access_tokens t where t.session_id = sessions.id
         and exists (select from signals s where s.user_id = t.user_id and s.token_id = t.id))`,
  ])
    await em.execute(statement)
}
