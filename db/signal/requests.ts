import type { EntityManager } from '../engine/database.ts'
import type { Query } from '../engine/query.ts'
import type { Statement } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'

/** Permanent name; `hash` distinguishes requests of one name. */
export interface RequestKey {
  key: string
  hash: string
}

/** A request identified by content, permanently or within `seconds` of `at`. */
export interface NamedRequest {
  id: string
  userId: string
  /** Null: unique. */
  name: string | null
  seconds: number | null
  at: Date
}

const INSERTED = `insert into requests (id, user_id, name, hash, seconds, at)`

/** SQL for {@link keyParameters}; {@link IS_KEYED} takes the key again. */
export const KEYED = `keyed as (
    ${INSERTED} select ?::uuid, ?::uuid, ?::text, ?::text, null, now() where ?::text is not null
    on conflict do nothing returning id)`
export const IS_KEYED = '(?::text is null or exists (select from keyed))'

export const keyParameters = (id: string, userId: string, request: RequestKey | null): unknown[] => {
  const key = request?.key ?? null
  return [id, userId, key, request?.hash ?? null, key]
}

export async function findKeyed(
  em: EntityManager,
  userId: string,
  key: string,
): Promise<{ id: string; hash: string } | null> {
  const [row] = await queryRows<{ id: string; hash: string }>(
    em,
    'select id, hash from requests where user_id = ? and name = ? and seconds is null',
    [userId, key],
  )
  return row ?? null
}

const lockSql = (userId: string, name: string): string =>
  `pg_advisory_xact_lock(hashtextextended('request ' || ${userId} || ' ' || ${name}, 0))`

/** Lock, since no index covers a window, or whether signals were stored. */
export const nameLock = ({ id, userId, name }: NamedRequest): Query<null> => ({
  sql: `select ${lockSql('?::text', '?::text')}`,
  parameters: [userId, name ?? id],
  read: () => null,
})

/** {@link nameLock} by a stored request's name. */
export const lockOfName = (id: string): Query<null> => ({
  sql: `select ${lockSql('user_id', 'name')} from requests where id = ?`,
  parameters: [id],
  read: () => null,
})

/** SQL: other requests with the name, within its time. */
export function othersOfName({ id, userId, name, seconds, at }: NamedRequest): Statement {
  const named = 'select r.id from requests r where r.user_id = ?::uuid and r.name = ? and r.id <> ?::uuid'
  const parameters = [userId, name, id]
  if (seconds === null) return { sql: `${named} and r.seconds is null`, parameters }
  const [from, to] = [-seconds, seconds].map((after) => new Date(at.getTime() + after * 1_000))
  return {
    sql: `${named} and r.seconds is not null and r.at > ?::timestamptz and r.at < ?::timestamptz`,
    parameters: [...parameters, from, to],
  }
}

/** SQL that stores the name unless `others` finds a request; returns its id. */
export const namingOf = ({ id, userId, name, seconds, at }: NamedRequest, others: Statement): Statement => ({
  sql: `${INSERTED} select ?::uuid, ?::uuid, ?::text, null, ?::integer, ?::timestamptz
    where ?::text is not null and not exists (${others.sql}) on conflict do nothing returning id`,
  parameters: [id, userId, name, seconds, at, name, ...others.parameters],
})

/** SQL condition: the signal was requested under its own key. */
export const isKeyed = (signalId: string): string =>
  `exists (select from requests r where r.id = ${signalId})`

/** SQL condition on `r`: no hook message, whose name lasts until it ends. */
export const IS_NO_MESSAGE = 'not exists (select from hook_requests h where h.id = r.id)'
