import type { FlattenStatus } from '#domain/flatten.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { queryRows } from '../engine/row-security.ts'
import type { RequestKey } from '../orders/manual-orders.ts'

export interface FlattenScope {
  scope: 'account' | 'strategy' | 'hook'
  /** The strategy or the hook; null for whole accounts. */
  scopeId: string | null
  accountIds: string[]
  symbols: string[] | null
  /** False: shares that no signal has bought stay. */
  includeManual: boolean
  /** Stop entries of this token or hook only; null: of all. */
  entriesOf: string | null
}

export interface NewFlattening extends FlattenScope {
  id: string
  userId: string
  cause: 'request' | 'close'
  reason: string | null
  askedBy: string
  tokenId: string | null
  /** Day of the exchange and end of its session; null for a request. */
  day: string | null
  closesAt: string | null
  /** When an alert is raised for what is still open. */
  alarmAt: string
}

export interface Flattening extends NewFlattening {
  status: FlattenStatus
  rounds: number
  /** By account: symbols in which an entry from before the request could still fill at the last look. */
  entering: Record<string, string[]>
  createdAt: string
  endedAt: string | null
}

interface Row extends Omit<Flattening, 'closesAt' | 'alarmAt' | 'createdAt' | 'endedAt'> {
  closes_at: StoredInstant | null
  alarm_at: StoredInstant
  created_at: StoredInstant
  ended_at: StoredInstant | null
}

const FLATTENING_COLUMNS = `f.id, f.user_id as "userId", f.cause, f.scope, f.scope_id as "scopeId", to_json(f.account_ids) as "accountIds",
  to_json(f.symbols) as symbols, f.include_manual as "includeManual", f.entries_of as "entriesOf", f.reason, f.asked_by as "askedBy", f.token_id as "tokenId",
  f.day::text as day, f.closes_at, f.alarm_at, f.status, f.rounds, f.entering, f.created_at, f.ended_at`

const flatteningOf = ({ closes_at, alarm_at, created_at, ended_at, ...row }: Row): Flattening => ({
  ...row,
  closesAt: instantOrNull(closes_at),
  alarmAt: instantOf(alarm_at),
  createdAt: instantOf(created_at),
  endedAt: instantOrNull(ended_at),
})

const arrayOf = (values: readonly string[]): string => `{${values.map((value) => `"${value}"`).join(',')}}`

/** False: key or id taken. The schema rejects foreign accounts. Past `limit` (ms) throws error 57014. */
export async function insertFlattening(
  em: EntityManager,
  flattening: NewFlattening,
  request: RequestKey | null,
  limit?: number,
): Promise<boolean> {
  const { id, userId, cause, scope, scopeId, accountIds, symbols, includeManual } = flattening
  const { entriesOf, reason, askedBy, tokenId, day, closesAt, alarmAt } = flattening
  const stored = await queryRows(
    em,
    `with keyed as (
       insert into idempotent_requests (user_id, key, request_hash)
       select ?::uuid, ?::text, ?::text where ?::text is not null
       on conflict do nothing returning key)
     insert into flattenings (id, user_id, cause, scope, scope_id, account_ids, symbols, include_manual, entries_of, reason, asked_by,
       token_id, request_key, day, closes_at, alarm_at)
     select ?::uuid, ?::uuid, ?, ?, ?::uuid, ?::uuid[], ?::text[], ?::boolean, ?::uuid, ?, ?, ?::uuid, ?::text, ?::date,
       ?::timestamptz, ?::timestamptz
     where ?::text is null or exists (select from keyed)
     on conflict (id) do nothing returning id`,
    [
      userId,
      request?.key ?? null,
      request?.hash ?? null,
      request?.key ?? null,
      id,
      userId,
      cause,
      scope,
      scopeId,
      arrayOf(accountIds),
      symbols && arrayOf(symbols),
      includeManual,
      entriesOf,
      reason,
      askedBy,
      tokenId,
      request?.key ?? null,
      day,
      closesAt,
      alarmAt,
      request?.key ?? null,
    ],
    { plan: 'once', ...(limit !== undefined && { limit }) },
  )
  return stored.length === 1
}

/** For a request whose storing was answered as failed, with its key; not once the workflow has begun. */
export async function removeUnstartedFlattening(em: EntityManager, id: string): Promise<void> {
  await em.fork().transactional(async (inner) => {
    const [row] = await inner.execute<{ user_id: string; request_key: string | null }[]>(
      'delete from flattenings where id = ? and workflow_started_at is null returning user_id, request_key',
      [id],
    )
    if (row?.request_key == null) return
    await inner.execute('delete from idempotent_requests where user_id = ? and key = ?', [
      row.user_id,
      row.request_key,
    ])
  })
}

export async function findFlattening(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<Flattening | null> {
  const [row] = await queryRows<Row>(
    em,
    `select ${FLATTENING_COLUMNS} from flattenings f where f.id = ? and f.user_id = ?`,
    [id, userId],
  )
  return row ? flatteningOf(row) : null
}

export async function findKeyedFlattening(
  em: EntityManager,
  userId: string,
  key: string,
): Promise<{ hash: string; flattening: Flattening | null } | null> {
  const [row] = await queryRows<{ hash: string; id: string | null }>(
    em,
    `select r.request_hash as hash, f.id from idempotent_requests r
     left join flattenings f on f.user_id = r.user_id and f.request_key = r.key
     where r.user_id = ? and r.key = ?`,
    [userId, key],
  )
  if (!row) return null
  return { hash: row.hash, flattening: row.id === null ? null : await findFlattening(em, userId, row.id) }
}

/** Newest first; automatic ones only where they had something to close. */
export async function latestFlattenings(
  em: EntityManager,
  userId: string,
  limit: number,
): Promise<Flattening[]> {
  const rows = await queryRows<Row>(
    em,
    `select ${FLATTENING_COLUMNS} from flattenings f
     where f.user_id = ? and (f.cause = 'request' or f.status <> 'done'
       or exists (select from flatten_lines l where l.flatten_id = f.id))
     order by f.created_at desc, f.id desc limit ?`,
    [userId, limit],
  )
  return rows.map(flatteningOf)
}

/** For the workflow of any user; null when it is gone with its user. Notes that the workflow runs. */
export async function beginRound(em: EntityManager, id: string): Promise<Flattening | null> {
  const [row] = await em.execute<Row[]>(
    `update flattenings f set rounds = rounds + 1, workflow_started_at = coalesce(workflow_started_at, now())
     where f.id = ? returning ${FLATTENING_COLUMNS}`,
    [id],
  )
  return row ? flatteningOf(row) : null
}

export async function noteEntering(
  em: EntityManager,
  id: string,
  accountId: string,
  symbols: readonly string[],
): Promise<void> {
  await em.execute(
    'update flattenings set entering = jsonb_set(entering, array[?::text], ?::jsonb) where id = ?',
    [accountId, toStorableJson(symbols), id],
  )
}

export async function endFlattening(
  em: EntityManager,
  id: string,
  status: Exclude<FlattenStatus, 'working'>,
): Promise<void> {
  await em.execute(`update flattenings set status = ?, ended_at = now() where id = ? and ended_at is null`, [
    status,
    id,
  ])
}

export async function isOpenFlattening(em: EntityManager, id: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(`select from flattenings where id = ? and status = 'working'`, [
    id,
  ])
  return rows.length > 0
}
