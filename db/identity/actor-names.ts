import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'

/** Name on timelines: user's address, token's or hook's label. */
export async function nameActor(em: EntityManager, userId: string, tokenId: string | null): Promise<string> {
  const [row] = await em.execute<{ email: string; label: string | null; kind: string | null }[]>(
    `select u.email, t.label, t.kind from users u left join access_tokens t on t.id = ?::uuid and t.user_id = u.id
     where u.id = ?`,
    [tokenId, userId],
  )
  if (!row) throw new Error(`there is no user ${userId}`)
  if (row.label === null) return row.email
  return `${row.kind === 'hook' ? 'hook' : 'token'} ${toStorableJson(row.label)}`
}
