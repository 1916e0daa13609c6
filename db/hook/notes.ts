import { hookFirstRequest, hookSecretElsewhere } from '#domain/hook/notices.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/** Writes at most once a second. The very first request notifies the owner, from one process only. */
export async function noteRequest(em: EntityManager, hookId: string, secretId: string | null): Promise<void> {
  const { kind, message, data } = hookFirstRequest(NAME_PLACE)
  await em.execute(
    `with held as materialized (
       select id, user_id, name, first_request_at is null as is_first from hooks
       where id = ? and (last_request_at is null or last_request_at < now() - interval '1 second') for no key update
     ), noted as (
       update hooks h set first_request_at = coalesce(h.first_request_at, now()), last_request_at = now() from held where h.id = held.id
     ), used as (
       update hook_secrets s set last_used_at = now() from held where s.hook_id = held.id and s.id = ?
     )
     insert into alerts (user_id, token_id, kind, message, data)
     select user_id, id, ?, replace(?, ?, name), ?::jsonb from held where is_first
     on conflict do nothing`,
    [hookId, secretId, kind, message, NAME_PLACE, toStorableJson(data)],
  )
}

/** Notifies the owner once until seen. */
export async function noteElsewhere(em: EntityManager, hookId: string, ip: string): Promise<void> {
  const { kind, message, data } = hookSecretElsewhere(NAME_PLACE, ip)
  await em.execute(
    `insert into alerts (user_id, token_id, kind, message, data)
     select user_id, id, ?, replace(?, ?, name), ?::jsonb from hooks where id = ?
     on conflict do nothing`,
    [kind, message, NAME_PLACE, toStorableJson(data), hookId],
  )
}

const NAME_PLACE = '%name%'

/** Writes at most once a second. */
export async function noteAcceptance(em: EntityManager, hookId: string): Promise<void> {
  await em.execute(
    `update hooks set last_accepted_at = now()
     where id = ? and (last_accepted_at is null or last_accepted_at < now() - interval '1 second')`,
    [hookId],
  )
}
