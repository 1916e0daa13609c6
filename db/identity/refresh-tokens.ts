import type { EntityManager } from '../engine/database.ts'

export interface RefreshTokenRecord {
  userId: string
  sessionId: string
  parentHash: string | null
  /** Hash of the second half, shown with it; null for programs. */
  keyHash: string | null
  isUsed: boolean
  /** Its answer may be requested again. */
  isInGrace: boolean
  /** Null when unused, and once the successor is used. */
  successorSalt: string | null
}

/** Locks the token. Null when unknown, its session ended or its user disabled. `graceMs`: milliseconds after use. */
export async function lockRefreshToken(
  em: EntityManager,
  hash: string,
  graceMs: number,
): Promise<RefreshTokenRecord | null> {
  // The later read sees the lock's last holder's changes.
  const locked = await em.execute<unknown[]>('select from refresh_tokens where hash = ? for update', [hash])
  if (locked.length === 0) return null
  const [row] = await em.execute<RefreshTokenRecord[]>(
    `select r.user_id as "userId", r.session_id as "sessionId", r.parent_hash as "parentHash", r.key_hash as "keyHash",
            r.successor_salt as "successorSalt", r.used_at is not null as "isUsed",
            coalesce(r.used_at > clock_timestamp() - make_interval(secs => ?), false) as "isInGrace"
     from refresh_tokens r
     join sessions s on s.id = r.session_id
     join users u on u.id = r.user_id
     where r.hash = ? and s.ended_at is null and s.expires_at > now() and u.disabled_at is null`,
    [graceMs / 1_000, hash],
  )
  return row ?? null
}

export async function insertRefreshToken(
  em: EntityManager,
  token: {
    hash: string
    userId: string
    sessionId: string
    parentHash: string | null
    keyHash: string | null
  },
): Promise<void> {
  await em.execute(
    'insert into refresh_tokens (hash, user_id, session_id, parent_hash, key_hash) values (?, ?, ?, ?, ?)',
    [token.hash, token.userId, token.sessionId, token.parentHash, token.keyHash],
  )
}

/** This token has arrived: the parent's salt, for its answer, is removed. */
export async function markRefreshTokenUsed(
  em: EntityManager,
  hash: string,
  successorSalt: string,
): Promise<void> {
  await em.execute(
    `with used as (
       update refresh_tokens set used_at = clock_timestamp(), successor_salt = ? where hash = ?
       returning parent_hash, session_id),
     touched as (
       update sessions set last_used_at = now() from used where sessions.id = used.session_id)
     update refresh_tokens set successor_salt = null from used where refresh_tokens.hash = used.parent_hash`,
    [successorSalt, hash],
  )
}
