import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import type { EntityManager } from '../engine/database.ts'
import type { User } from '../entities/index.ts'
import { countedOf, findCounted, type Counted, type RequestCount } from './request-count.ts'

export interface TokenHolder {
  tokenId: string
  kind: 'access' | 'legacy' | 'desktop'
  hash: string
  scopes: string[]
  bounds: TokenBounds
  lastUsedAt: Date | null
  isRefused: boolean
  userId: string
  tradingMode: User['tradingMode']
  plan: User['plan']
  role: User['role']
}

/** Null, indistinguishably, when unknown, expired, revoked, or of a disabled user. */
export async function findTokenHolder(
  em: EntityManager,
  hash: string,
  count: RequestCount | null,
): Promise<{ holder: TokenHolder; counted: Counted | null } | null> {
  const finding = {
    sql: `select t.id as "tokenId", t.kind, t.hash, t.scopes, t.bounds, t.last_used_at as "lastUsedAt",
            t.refused_since is not null as "isRefused",
            u.id as "userId", u.trading_mode as "tradingMode", u.plan, u.role
     from access_tokens t join users u on u.id = t.user_id
     where t.hash = ? and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
       and u.disabled_at is null`,
    parameters: [hash],
  }
  const [holder] = await findCounted<Omit<TokenHolder, 'lastUsedAt'> & { lastUsedAt: string | null }>(
    em,
    finding,
    `'token:', "tokenId"`,
    count,
  )
  if (!holder) return null
  const lastUsedAt = holder.lastUsedAt === null ? null : new Date(holder.lastUsedAt)
  return { holder: { ...holder, lastUsedAt }, counted: countedOf(holder) }
}

/** Writes at most once a minute. */
export async function recordTokenUse(em: EntityManager, userId: string, tokenId: string): Promise<void> {
  await em.getConnection().execute(
    `update access_tokens set last_used_at = now()
     where id = ? and user_id = ? and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [tokenId, userId],
  )
}
