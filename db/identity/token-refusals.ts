import type { AlertNotice } from '#domain/alert/alert.ts'
import type { TokenRefusal } from '#domain/risk/token-bounds.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/** The first refusal since an accepted signal raises the alert, by one process. */
export async function recordRefusal(
  em: EntityManager,
  tokenId: string,
  refusal: TokenRefusal,
  notice: (way: string) => AlertNotice,
): Promise<void> {
  const { kind, message, data } = notice(WAY_PLACE)
  await em.execute(
    `with held as materialized (
       select id, user_id, refused_since is null as is_first,
         concat(case kind when 'hook' then 'through the hook' else 'with the token' end, ' "', label, '"') as way from access_tokens where id = ? for no key update
     ), noted as (
       update access_tokens t set last_refusal = ?::jsonb, refused_since = coalesce(t.refused_since, now())
       from held where t.id = held.id
     )
     insert into alerts (user_id, token_id, kind, message, data)
     select user_id, id, ?, replace(?, ?, way), ?::jsonb from held where is_first
     on conflict do nothing`,
    [tokenId, toStorableJson(refusal), kind, message, WAY_PLACE, toStorableJson(data)],
  )
}

const WAY_PLACE = '%way%'

export async function recordAcceptance(em: EntityManager, tokenId: string): Promise<void> {
  await em.execute(
    `with accepted as (
       update access_tokens set refused_since = null where id = ? and refused_since is not null returning id
     )
     update alerts set resolved_at = now() from accepted
     where token_id = accepted.id and kind = 'signals_refused' and resolved_at is null`,
    [tokenId],
  )
}
