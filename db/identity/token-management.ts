import { randomUUID } from 'node:crypto'
import { UNBOUNDED, type TokenBounds, type TokenRefusal } from '#domain/risk/token-bounds.ts'
import { asArray } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { waitingSignalsSql } from '../signal/of-tokens.ts'
import { newestFirst, sliceOfRows, type Page, type Slice } from '../engine/page.ts'

/** legacy: issued by an administrator. desktop: of a signed-in device. */
export type TokenKind = 'access' | 'legacy' | 'desktop'

export interface TokenRecord {
  id: string
  kind: TokenKind
  label: string
  prefix: string
  scopes: string[]
  bounds: TokenBounds
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  mergesRepeats: boolean
  lastRefusal: TokenRefusal | null
  waitingSignals: number
}

export async function insertToken(
  em: EntityManager,
  token: {
    userId: string
    kind: TokenKind
    label: string
    hash: string
    prefix: string
    scopes: readonly string[]
    bounds?: TokenBounds
    mergesRepeats?: boolean
    expiresAt: Date
    sessionId?: string
  },
): Promise<string> {
  const id = randomUUID()
  await em.execute(
    `insert into access_tokens (id, user_id, kind, label, hash, prefix, scopes, expires_at, session_id, bounds, merges_repeats)
     values (?, ?, ?, ?, ?, ?, ?::text[], ?::timestamptz, ?, ?::jsonb, ?)`,
    [
      id,
      token.userId,
      token.kind,
      token.label,
      token.hash,
      token.prefix,
      asArray(token.scopes),
      token.expiresAt.toISOString(),
      token.sessionId ?? null,
      toStorableJson(token.bounds ?? UNBOUNDED),
      token.mergesRepeats ?? false,
    ],
  )
  return id
}

export async function countOwnTokens(em: EntityManager, userId: string): Promise<number> {
  const [row] = await em.execute<{ held: number }[]>(
    `select count(*)::int as held from access_tokens
     where user_id = ? and kind = 'access' and revoked_at is null and (expires_at is null or expires_at > now())`,
    [userId],
  )
  return row!.held
}

type TokenRow = Omit<TokenRecord, 'createdAt' | 'expiresAt' | 'lastUsedAt'> & {
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export const TOKEN_ORDER = newestFirst('createdAt')

export async function listTokens(em: EntityManager, userId: string, page: Page): Promise<Slice<TokenRecord>> {
  const list = {
    sql: `
      select id, kind, label, prefix, scopes, bounds, created_at as "createdAt", expires_at as "expiresAt",
             last_used_at as "lastUsedAt", last_refusal as "lastRefusal", merges_repeats as "mergesRepeats", ${waitingSignalsSql('access_tokens.id')} as "waitingSignals"
      from access_tokens where user_id = ? and revoked_at is null and kind <> 'hook'`,
    parameters: [userId],
  }
  const slice = await sliceOfRows<TokenRow>(em, list, TOKEN_ORDER, page)
  return {
    ...slice,
    items: slice.items.map((row) => ({
      ...row,
      createdAt: new Date(row.createdAt),
      expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt),
      lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt),
    })),
  }
}

export async function setMergesRepeats(
  em: EntityManager,
  userId: string,
  tokenId: string,
  mergesRepeats: boolean,
): Promise<string | null> {
  const [changed] = await em.execute<{ label: string }[]>(
    `update access_tokens set merges_repeats = ?
     where id = ? and user_id = ? and revoked_at is null and kind in ('access', 'legacy') returning label`,
    [mergesRepeats, tokenId, userId],
  )
  return changed?.label ?? null
}

/** Returns kind and waiting signals. `withdrawnBy` withdraws these; null keeps them. */
export async function revokeToken(
  em: EntityManager,
  userId: string,
  tokenId: string,
  kinds: readonly (TokenKind | 'hook')[],
  withdrawnBy: string | null,
): Promise<{ kind: TokenKind | 'hook'; waiting: number } | null> {
  const [revoked] = await em.execute<{ kind: TokenKind | 'hook'; waiting: number }[]>(
    `update access_tokens set revoked_at = now(), withdrawn_by = ?
     where id = ? and user_id = ? and revoked_at is null and kind in (${kinds.map(() => '?').join(', ')})
     returning kind, ${waitingSignalsSql('access_tokens.id')} as waiting`,
    [withdrawnBy, tokenId, userId, ...kinds],
  )
  return revoked ?? null
}
