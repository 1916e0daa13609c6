import { SIGNAL_EVENT_ORDER } from '../orders/event-order.ts'
import { LOCK_ACCOUNT_SYMBOL } from '../orders/symbol-lock.ts'
import type { ExitStatus } from '#domain/exit.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal, SignalEvent } from '../entities/index.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import {
  emptySlice,
  newestFirst,
  sliceOf,
  sliceOfRows,
  type ListOrder,
  type Page,
  type Slice,
} from '../engine/page.ts'
import type { Query } from '../engine/query.ts'
import { findRow, findRows, readerOf, selectOf, type Statement } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { FREED } from '../engine/status-lists.ts'

/** Set after the acceptance, or by the statement itself; all other fields are stored with the signal. */
const LATER = [
  'statusReason',
  'statusDetail',
  'orderId',
  'filledQuantity',
  'avgFillPrice',
  'exitStatus',
  'exitSubmitAt',
  'exitOrderId',
  'exitReason',
  'tokenId',
  'sentBy',
  'heldPrice',
  'decidedBy',
  'decidedAt',
  'approvalRefused',
  'checkedAt',
  'continues',
  'workflowStartedAt',
  'updatedAt',
] as const satisfies (keyof Signal)[]

type AcceptedField = Exclude<keyof Signal & string, (typeof LATER)[number]>

export type WholeNewSignal = Required<Pick<Signal, AcceptedField>>

export type NewSignal = Pick<Signal, AcceptedField> & {
  /** Body without secrets; absent for a signal that did not come as a request. */
  source?: string | null
}

export const acceptedFields = (em: EntityManager): AcceptedField[] =>
  em
    .getMetadata(Signal)
    .props.map(({ name }) => name as keyof Signal & string)
    .filter((field): field is AcceptedField => !LATER.some((later) => later === field))

export const columnsOf = (em: EntityManager, fields: readonly (keyof Signal & string)[]): string =>
  fields.map((field) => em.getMetadata(Signal).properties[field].fieldNames[0]).join(', ')

/** jsonb travels as text. */
const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && !(value instanceof Date) ? asJson(value) : (value ?? null)

/**
 * False when another signal of the account has the sourceId: the unique index decides. The schema rejects
 * foreign rows. Account and symbol are locked before turn and sequence are drawn, so that signals become
 * visible in the order of their turns. Past `limit` (ms, not in transactions) throws error 57014.
 */
export async function insertSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  limit?: number,
): Promise<boolean> {
  return (await storeSignal(em, signal, received, { isJudged: false, limit })) === 'stored'
}

export interface Storable {
  /** The account has to be the user's, and of this kind; null: of either. */
  isDemo: boolean | null
  /** Upper bound of waiting signals of the account; null for a signal that will not wait. */
  maxWaiting: number | null
  limit: number
}

/** denied: no such account. taken: the sourceId. full: no room. repeats: see {@link findRepeated}. */
export type Storing = 'stored' | 'denied' | 'taken' | 'full' | { repeats: string }

/** Exact under any concurrency. Replacements are stored elsewhere, without a limit. */
export const insertIfStorable = (
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  storable: Storable,
): Promise<Storing> => storeSignal(em, signal, received, { isJudged: true, ...storable })

/** Living, with the same body from the same token within 30 s, where the token's owner chose to merge these. */
export async function findRepeated(
  em: EntityManager,
  tokenId: string,
  accountId: string,
  source: string,
): Promise<string | null> {
  const [row] = await queryRows<{ id: string | null }>(em, `select ${REPEATED} as id`, [
    tokenId,
    accountId,
    source,
  ])
  return row!.id
}

const REPEATED = 'repeated_signal(?::uuid, ?::uuid, ?::text)'

export async function countWaiting(em: EntityManager, accountId: string): Promise<number> {
  const [row] = await queryRows<{ waiting: number }>(
    em,
    `select count(*)::int as waiting from signals where account_id = ? and status in ('pending', 'scheduled')`,
    [accountId],
  )
  return row!.waiting
}

/** SQL: as `nameActor()`, by the token's id, its owner and the user. */
const SENDER = `coalesce(
  (select case kind when 'hook' then 'hook ' else 'token ' end || to_json(label)::text from access_tokens where id = ?::uuid and user_id = ?::uuid),
  (select email from users where id = ?::uuid))`

/** SQL: the turn in account and symbol, which are locked; null before an approval. */
const TURN = `case when ?::text <> 'pending' then greatest(?::timestamptz, clock_timestamp()) end`

export type StoringTerms = Omit<Storable, 'limit'> & {
  isJudged: boolean
}

async function storeSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  {
    isJudged,
    isDemo = null,
    maxWaiting = null,
    limit,
  }: { isJudged: boolean; limit: number | undefined } & Partial<StoringTerms>,
): Promise<Storing> {
  const { sql, parameters, read } = storingQuery(em, signal, received, { isJudged, isDemo, maxWaiting })
  const rows = await queryRows(em, sql, parameters, { plan: 'once', ...(limit !== undefined && { limit }) })
  return read(rows as never[])
}

/** `onlyIf`: a condition without which nothing is stored; then it answers `denied`. */
export function storingQuery(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  { isJudged, isDemo, maxWaiting }: StoringTerms,
  onlyIf: Statement | null = null,
): Query<Storing> {
  const tokenId = received.data?.['tokenId'] ?? null
  const fields = acceptedFields(em)
  const isCounted = maxWaiting !== null
  const source = signal.source ?? null
  const mayRepeat = isJudged && tokenId !== null && signal.sourceId === null && source !== null
  const conditions = [...(isJudged ? [MAY_TAKE] : []), ...(onlyIf === null ? [] : [onlyIf.sql])]
  return {
    sql: `with room as materialized (
       select ${isCounted ? 'may_wait(?::uuid, ?::integer)' : 'true'} as found,
         ${mayRepeat ? REPEATED : 'null::uuid'} as repeats
       from (${LOCK_ACCOUNT_SYMBOL}) as turn ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     ), accepted as (
       insert into signals (${columnsOf(em, fields)}, token_id, sent_by, turn_at)
       select ${fields.map(() => '?').join(', ')}, ?, ${SENDER}, ${TURN}
       from room where found and repeats is null
       -- By its sourceId; or by its id, when a replacement is stored again that was stored before and has ended.
       on conflict do nothing
       returning id
     ), told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, ?::timestamptz, ?, ?::jsonb from accepted
     ), kept as (
       insert into signal_sources (signal_id, user_id, body)
       select id, ?::uuid, source from accepted, (select ?::text as source) given where source is not null
     )
     select (select id from accepted) as id, found as room, repeats from room`,
    parameters: [
      ...(isCounted ? [signal.accountId, maxWaiting] : []),
      ...(mayRepeat ? [tokenId, signal.accountId, source] : []),
      signal.accountId,
      signal.symbol,
      ...(isJudged ? [signal.accountId, signal.userId, isDemo] : []),
      ...(onlyIf?.parameters ?? []),
      ...fields.map((field) => asColumn(signal[field])),
      tokenId,
      tokenId,
      signal.userId,
      signal.userId,
      signal.status,
      signal.scheduledAt,
      received.key,
      received.kind,
      received.at,
      received.message,
      asJson(received.data ?? null),
      signal.userId,
      source,
    ],
    read: storingOf,
  }
}

const MAY_TAKE =
  'exists (select from accounts where id = ?::uuid and user_id = ?::uuid and is_demo = coalesce(?::boolean, is_demo))'

function storingOf([found]: readonly {
  id: string | null
  room: boolean
  repeats: string | null
}[]): Storing {
  if (!found) return 'denied'
  const { id, room, repeats } = found
  if (repeats !== null) return { repeats }
  if (!room) return 'full'
  return id === null ? 'taken' : 'stored'
}

const asJson = (value: unknown): string | null => (value === null ? null : toStorableJson(value))

export async function findSignal(em: EntityManager, userId: string, id: string): Promise<Signal | null> {
  return findRow(em, Signal, { id, userId })
}

export async function findSignals(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<Signal[]> {
  return findRows(em, Signal, { id: { $in: [...ids] }, userId })
}

/** Perhaps ended, while an order of it works; null when the sourceId is free. */
export async function findLiveBySource(
  em: EntityManager,
  userId: string,
  accountId: string,
  sourceId: string,
): Promise<Signal | null> {
  const [holder] = await queryRows<{ id: string }>(
    em,
    `select id from signals where user_id = ? and account_id = ? and source_id = ?
       and (status not in ${FREED} or order_may_work)`,
    [userId, accountId, sourceId],
  )
  return holder ? findSignal(em, userId, holder.id) : null
}

export type SignalFilter = Filter<
  Pick<Signal, 'accountId' | 'symbol' | 'executeMode'> & {
    strategyId: string
    tokenId: string
    groupId: string
    sourceId: string
    status: readonly SignalStatus[]
    exitStatus: readonly ExitStatus[]
    /** Acceptance from `from` on, before `to`. */
    from: string
    to: string
  }
>

export const SIGNAL_SORTS = ['newest', 'validUntil'] as const
export type SignalSort = (typeof SIGNAL_SORTS)[number]

const NEVER = '9999-12-31T00:00:00Z'

/** validUntil: the soonest to expire first, those that never do last. */
export const SIGNAL_ORDERS: Readonly<Record<SignalSort, ListOrder>> = {
  newest: newestFirst('accepted_at'),
  validUntil: {
    columns: [
      { name: 'expires_first', type: 'timestamptz' },
      { name: 'id', type: 'uuid' },
    ],
    direction: 'asc',
  },
}

export async function listSignals(
  em: EntityManager,
  userId: string,
  { symbol, status, exitStatus, from, to, sort = 'newest', ...filter }: SignalFilter & { sort?: SignalSort },
  page: Page,
): Promise<Slice<Signal>> {
  const where = {
    ...given(filter),
    ...ofSymbols(symbol),
    userId,
    ...(status && { status: { $in: [...status] } }),
    ...(exitStatus && { exitStatus: { $in: [...exitStatus] } }),
    ...within('acceptedAt', from, to),
  }
  const order = SIGNAL_ORDERS[sort]
  if (sort === 'newest') return sliceOf(em, Signal, where, order, page)
  const { sql, parameters } = selectOf(em, Signal, where)
  const list = {
    sql: `select s.*, coalesce(s.valid_until, '${NEVER}') as expires_first from (${sql}) s`,
    parameters,
  }
  const slice = await sliceOfRows<Record<string, unknown>>(em, list, order, page)
  const read = readerOf(em, Signal)
  return { ...slice, items: slice.items.map(({ expires_first: _, ...row }) => read(row)) }
}

export async function listSignalEvents(
  em: EntityManager,
  userId: string,
  signalId: string,
  page: Page,
): Promise<Slice<SignalEvent>> {
  if (!(await findSignal(em, userId, signalId))) return emptySlice()
  return sliceOf(em, SignalEvent, { signalId }, SIGNAL_EVENT_ORDER, page)
}

export async function countQueued(em: EntityManager, userId: string, limit: number): Promise<number> {
  const [row] = await queryRows<{ queued: number }>(
    em,
    `select count(*)::int as queued
     from (select from signals where user_id = ? and status = 'queued' limit ?) queued`,
    [userId, limit],
  )
  return row!.queued
}

/** For a signal whose storing was answered as failed; not once its workflow runs, or after {@link keepTold}. */
export async function removeUnstarted(em: EntityManager, signalId: string): Promise<void> {
  await em.transactional(async (inner) => {
    // Waiting signals hear of a change, but not of a deletion.
    const doomed = await inner.execute<object[]>(
      `update signals set status = 'error' where id = ? and workflow_started_at is null and told_at is null returning id`,
      [signalId],
    )
    if (doomed.length > 0) await inner.execute('delete from signals where id = ?', [signalId])
  })
}

/** Prevents removal of a signal that an answer names; false when it was removed. */
export async function keepTold(em: EntityManager, signalId: string): Promise<boolean> {
  const kept = await queryRows(em, 'update signals set told_at = now() where id = ? returning id', [signalId])
  return kept.length > 0
}
