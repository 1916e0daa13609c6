import type { FlattenStatus, Opening } from '#domain/position/flatten.ts'
import { asArray, instantOf, instantOrNull, type StoredInstant } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { IS_KEYED, KEYED, keyParameters, type RequestKey } from '../signal/requests.ts'

export interface FlattenScope {
  scope: 'account' | 'strategy' | 'hook'
  /** Strategy or hook; null for whole accounts. */
  scopeId: string | null
  accountIds: string[]
  symbols: string[] | null
  /** False: shares bought by no signal remain. */
  includeManual: boolean
  /** Token or hook whose entries are stopped; null: all. */
  entriesOf: string | null
}

export interface NewFlattening extends FlattenScope {
  id: string
  userId: string
  cause: 'request' | 'close'
  reason: string | null
  askedBy: string
  tokenId: string | null
  /** Exchange day and session end; null for a request. */
  day: string | null
  closesAt: string | null
  /** Instant at which open positions raise an alert. */
  alarmAt: string
}

export interface Flattening extends NewFlattening {
  status: FlattenStatus
  rounds: number
  /** By account: signals that could still open. */
  openings: Record<string, Opening[]>
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
  f.day::text as day, f.closes_at, f.alarm_at, f.status, f.rounds, f.openings, f.created_at, f.ended_at`

const flatteningOf = ({ closes_at, alarm_at, created_at, ended_at, ...row }: Row): Flattening => ({
  ...row,
  closesAt: instantOrNull(closes_at),
  alarmAt: instantOf(alarm_at),
  createdAt: instantOf(created_at),
  endedAt: instantOrNull(ended_at),
})

const arrayOf = (values: readonly string[]): string => asArray(values.map((value) => `"${value}"`))

/** False: key or id taken. Past `limit` (ms) throws error 57014. */
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
    `with ${KEYED}
     insert into flattenings (id, user_id, cause, scope, scope_id, account_ids, symbols, include_manual, entries_of, reason, asked_by,
       token_id, day, closes_at, alarm_at)
     select ?::uuid, ?::uuid, ?, ?, ?::uuid, ?::uuid[], ?::text[], ?::boolean, ?::uuid, ?, ?, ?::uuid, ?::date, ?::timestamptz,
       ?::timestamptz
     where ${IS_KEYED}
     on conflict (id) do nothing returning id`,
    [
      ...keyParameters(id, userId, request),
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
      day,
      closesAt,
      alarmAt,
      request?.key ?? null,
    ],
    { plan: 'once', ...(limit !== undefined && { limit }) },
  )
  return stored.length === 1
}

/** Prevents removal of an answered flattening; false when removed already. */
export async function keepFlatteningNotified(em: EntityManager, id: string): Promise<boolean> {
  const kept = await queryRows(em, 'update flattenings set notified_at = now() where id = ? returning id', [
    id,
  ])
  return kept.length === 1
}

/** Removes a flattening answered as failed, with its key; not once begun, or after {@link keepFlatteningNotified}. */
export async function removeUnstartedFlattening(em: EntityManager, id: string): Promise<void> {
  await em.execute(
    `with gone as (delete from flattenings where id = ? and workflow_started_at is null and notified_at is null returning id)
     delete from requests r using gone where r.id = gone.id`,
    [id],
  )
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

/** Newest first; automatic ones only with positions to close. */
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

/** Counts a round; null when deleted with its user. */
export async function beginRound(em: EntityManager, id: string): Promise<Flattening | null> {
  const [row] = await em.execute<Row[]>(
    `update flattenings f set rounds = rounds + 1, workflow_started_at = coalesce(workflow_started_at, now())
     where f.id = ? returning ${FLATTENING_COLUMNS}`,
    [id],
  )
  return row ? flatteningOf(row) : null
}

export async function noteOpenings(
  em: EntityManager,
  id: string,
  accountId: string,
  openings: readonly Opening[],
): Promise<void> {
  await em.execute(
    'update flattenings set openings = jsonb_set(openings, array[?::text], ?::jsonb) where id = ?',
    [accountId, toStorableJson(openings), id],
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
