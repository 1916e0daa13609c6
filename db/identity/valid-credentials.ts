import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import type { User } from '../entities/index.ts'

export interface ValidCredentials {
  sessionIds: Set<string>
  tokens: Map<string, { kind: 'access' | 'legacy' | 'desktop'; plan: User['plan']; scopes: string[] }>
}

/** Checks as `findSessionHolder` and `findTokenHolder`, for many at once. */
export async function readValidCredentials(
  em: EntityManager,
  sessionIds: readonly string[],
  tokenIds: readonly string[],
): Promise<ValidCredentials> {
  const sessions = await em.execute<{ id: string }[]>(
    `select s.id from sessions s join users u on u.id = s.user_id
     where s.id = any(?::uuid[]) and s.kind = 'web' and s.ended_at is null and s.expires_at > now()
       and u.disabled_at is null`,
    [asArray(sessionIds)],
  )
  const tokens = await em.execute<
    { id: string; kind: 'access' | 'legacy' | 'desktop'; plan: User['plan']; scopes: string[] }[]
  >(
    `select t.id, t.kind, t.scopes, u.plan from access_tokens t join users u on u.id = t.user_id
     where t.id = any(?::uuid[]) and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
       and u.disabled_at is null`,
    [asArray(tokenIds)],
  )
  return {
    sessionIds: new Set(sessions.map(({ id }) => id)),
    tokens: new Map(tokens.map(({ id, ...token }) => [id, token])),
  }
}
