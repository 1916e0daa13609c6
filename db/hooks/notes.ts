import { hookFirstRequest, hookSecretElsewhere } from '#domain/hook/notices.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/**
 * Takes note that a sender has called a hook, by the second; the first time ever its owner is told, in one statement, so that of any
 * number of processes one tells it. Trials by people are none of these.
 *
 * @param secretId the secret by which it came; null for a signature
 */
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
    'run',
  )
}

/** A request with the secret of a hook, or its signature, came from an address that is not listed; its owner is told once until they have seen it. */
export async function noteElsewhere(em: EntityManager, hookId: string, ip: string): Promise<void> {
  const { kind, message, data } = hookSecretElsewhere(NAME_PLACE, ip)
  await em.execute(
    `insert into alerts (user_id, token_id, kind, message, data)
     select user_id, id, ?, replace(?, ?, name), ?::jsonb from hooks where id = ?
     on conflict do nothing`,
    [kind, message, NAME_PLACE, toStorableJson(data), hookId],
    'run',
  )
}

/** Stands for the name of the hook, which the statement finds. */
const NAME_PLACE = '%name%'

/** Something that came to the hook was accepted; by the second. */
export async function noteAcceptance(em: EntityManager, hookId: string): Promise<void> {
  await em.execute(
    `update hooks set last_accepted_at = now()
     where id = ? and (last_accepted_at is null or last_accepted_at < now() - interval '1 second')`,
    [hookId],
    'run',
  )
}
