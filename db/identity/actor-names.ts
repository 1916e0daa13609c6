import type { EntityManager } from '../engine/database.ts'

/**
 * Who does something, as the owner reads it in a timeline: a user by their address, a program by the label of its
 * token.
 */
export async function nameActor(em: EntityManager, userId: string, tokenId: string | null): Promise<string> {
  const [row] = await em.execute<{ email: string; label: string | null }[]>(
    `select u.email, t.label from users u left join access_tokens t on t.id = ?::uuid and t.user_id = u.id
     where u.id = ?`,
    [tokenId, userId],
  )
  if (!row) throw new Error(`there is no user ${userId}`)
  return row.label === null ? row.email : `token ${JSON.stringify(row.label)}`
}
