import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../engine/database.ts'
import { withdrawDeviceGrants } from './device-grants.ts'
import type { User } from '../entities/index.ts'
import { countedOf, findCounted, type Counted, type RequestCount } from './request-count.ts'

export interface SessionRecord {
  id: string
  kind: 'web' | 'desktop'
  name: string
  ip: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
  secondFactorAt: Date | null
}

export type SessionEndReason =
  | 'signed_out'
  | 'revoked'
  | 'password_changed'
  | 'password_reset'
  | 'second_factor_changed'
  | 'refresh_token_reused'
  | 'ended_by_admin'
  | 'user_disabled'
  | 'ledger_restored'

export async function insertSession(
  em: EntityManager,
  session: {
    userId: string
    kind: SessionRecord['kind']
    name: string
    ip: string
    hasSecondFactor: boolean
    days: number
  },
): Promise<string> {
  const id = randomUUID()
  await em.execute(
    `insert into sessions (id, user_id, kind, name, ip, second_factor_at, expires_at)
     values (?, ?, ?, ?, ?, case when ?::boolean then now() end, now() + make_interval(days => ?))`,
    [id, session.userId, session.kind, session.name, session.ip, session.hasSecondFactor, session.days],
  )
  return id
}

export interface SessionHolder {
  sessionId: string
  userId: string
  tradingMode: User['tradingMode']
  plan: User['plan']
  role: User['role']
  verifiedAt: Date
  secondFactorAt: Date | null
}

/** Null when ended or its user disabled. */
export async function findSessionHolder(
  em: EntityManager,
  userId: string,
  sessionId: string,
  count: RequestCount | null,
): Promise<{ holder: SessionHolder; counted: Counted | null } | null> {
  const finding = {
    sql: `select s.id as "sessionId", s.verified_at as "verifiedAt", s.second_factor_at as "secondFactorAt",
            u.id as "userId", u.trading_mode as "tradingMode", u.plan, u.role
     from sessions s join users u on u.id = s.user_id
     where s.id = ? and s.user_id = ? and s.kind = 'web' and s.ended_at is null and s.expires_at > now()
       and u.disabled_at is null`,
    parameters: [sessionId, userId],
  }
  const [holder] = await findCounted<
    Omit<SessionHolder, 'verifiedAt' | 'secondFactorAt'> & {
      verifiedAt: string
      secondFactorAt: string | null
    }
  >(em, finding, `'user:', "userId"`, count)
  if (!holder) return null
  const instants = {
    verifiedAt: new Date(holder.verifiedAt),
    secondFactorAt: instantOrNull(holder.secondFactorAt),
  }
  return { holder: { ...holder, ...instants }, counted: countedOf(holder) }
}

export async function listSessions(em: EntityManager, userId: string): Promise<SessionRecord[]> {
  const rows = await em.execute<
    (Pick<SessionRecord, 'id' | 'kind' | 'name' | 'ip'> &
      Record<'createdAt' | 'lastUsedAt' | 'expiresAt', string> & { secondFactorAt: string | null })[]
  >(
    `select s.id, s.kind, s.name, s.ip, s.created_at as "createdAt", s.expires_at as "expiresAt",
            s.second_factor_at as "secondFactorAt", greatest(s.last_used_at, t.last_used_at) as "lastUsedAt"
     from sessions s left join access_tokens t on t.session_id = s.id
     where s.user_id = ? and s.ended_at is null and s.expires_at > now()
     order by 8 desc, s.id`,
    [userId],
  )
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    lastUsedAt: new Date(row.lastUsedAt),
    expiresAt: new Date(row.expiresAt),
    secondFactorAt: instantOrNull(row.secondFactorAt),
  }))
}

export async function recordVerification(
  em: EntityManager,
  userId: string,
  sessionId: string,
  bySecondFactor: boolean,
): Promise<void> {
  await em.execute(
    `update sessions set verified_at = now(),
       second_factor_at = case when ?::boolean then now() else second_factor_at end
     where id = ? and user_id = ?`,
    [bySecondFactor, sessionId, userId],
  )
}

/** Ends desktop tokens too; for all or all others also approved devices. Requires the user's lock. */
export async function endSessions(
  em: EntityManager,
  userId: string,
  which: { only: string } | { except: string } | 'all',
  reason: SessionEndReason,
): Promise<string[]> {
  // Grants first: a device fetching its token is waited for, and its session ends too.
  if (which === 'all' || 'except' in which) await withdrawDeviceGrants(em, userId)
  const [condition, ids] =
    which === 'all'
      ? ['', []]
      : 'only' in which
        ? ['and id = ?', [which.only]]
        : ['and id <> ?', [which.except]]
  const ended = await em.execute<{ id: string }[]>(
    `with ended as (
       update sessions set ended_at = now(), end_reason = ?
       where user_id = ? and ended_at is null ${condition} returning id),
     dead as (
       update access_tokens set revoked_at = now()
       from ended where session_id = ended.id and revoked_at is null returning access_tokens.id)
     select id from ended`,
    [reason, userId, ...ids],
  )
  return ended.map(({ id }) => id)
}

export async function endSessionsOfEverybody(em: EntityManager, reason: SessionEndReason): Promise<void> {
  await em.execute(`update device_grants set status = 'denied' where status = 'approved'`)
  await em.execute(
    `with ended as (
       update sessions set ended_at = now(), end_reason = ? where ended_at is null returning id)
     update access_tokens set revoked_at = now()
     from ended where session_id = ended.id and revoked_at is null`,
    [reason],
  )
}

const instantOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text))
