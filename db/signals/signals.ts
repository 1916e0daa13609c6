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

/** Fields that come to a signal after its acceptance, or that the statement finds itself; all others are stored with it. */
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

/** A signal at its acceptance with every field that is stored of it. */
export type WholeNewSignal = Required<Pick<Signal, AcceptedField>>

/** A signal at its acceptance: its terms and its first status. */
export type NewSignal = Pick<Signal, AcceptedField> & {
  /** The body that it came with, without secrets; absent for a signal that no request brought as it is. */
  source?: string | null
}

/** The fields of an accepted signal, from which follow the columns that are written. */
export const acceptedFields = (em: EntityManager): AcceptedField[] =>
  em
    .getMetadata(Signal)
    .props.map(({ name }) => name as keyof Signal & string)
    .filter((field): field is AcceptedField => !LATER.some((later) => later === field))

/** The columns of fields, in their order. */
export const columnsOf = (em: EntityManager, fields: readonly (keyof Signal & string)[]): string =>
  fields.map((field) => em.getMetadata(Signal).properties[field].fieldNames[0]).join(', ')

/** A value as its column takes it; jsonb travels as text. */
const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && !(value instanceof Date) ? asJson(value) : (value ?? null)

/**
 * Stores a signal and the first entry of its timeline in one statement; false when another signal of the account holds the
 * sourceId. The unique index decides, so of any number of senders at the same time exactly one gets true. The schema
 * rejects an account or strategy of another user.
 *
 * The token that sent it is the one that this entry names; none is a person. The schema rejects a token of another user.
 *
 * The account and symbol are locked before the row gets its turn and its sequence number, so signals of one account and symbol
 * become visible in the order of their turns: no signal misses an earlier one.
 *
 * @param limit milliseconds after which nothing is stored any more, and PostgreSQL's error 57014 is thrown; outside of
 *   transactions only
 */
export async function insertSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  limit?: number,
): Promise<boolean> {
  return (await storeSignal(em, signal, received, { isJudged: false, limit })) === 'stored'
}

/** The conditions for a signal to be stored. */
export interface Storable {
  /** Its account is the user's, and is a demo account or none, as this says; null where it may be either. */
  isDemo: boolean | null
  /** Fewer signals of its account wait for a person or for their time; null for a signal that will not wait. */
  maxWaiting: number | null
  /** As for {@link insertSignal}. */
  limit: number
}

/**
 * What became of a signal that was to be stored. denied: no account of the user and of this kind, whatever else. taken: another
 * signal of the account holds the sourceId. full: there is no room, whatever the sourceId. repeats: it is the signal with this id
 * once more, by the choice of its token's owner ({@link findRepeated}).
 */
export type Storing = 'stored' | 'denied' | 'taken' | 'full' | { repeats: string }

/**
 * Like {@link insertSignal}, if its account may take it: what would be asked before is part of the statement. Exact under any
 * concurrency. Replacements of signals are stored elsewhere and have no limit of waiting signals.
 */
export const insertIfStorable = (
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  storable: Storable,
): Promise<Storing> => storeSignal(em, signal, received, { isJudged: true, ...storable })

/**
 * The id of the living signal that a body without sourceId repeats: sent by the same token for the same account within the 30 s
 * before, to the letter, where the owner of the token has chosen that these are one; null otherwise.
 *
 * @param source the body without secrets
 */
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

/** How many signals of an account wait for a person or for their time. */
export async function countWaiting(em: EntityManager, accountId: string): Promise<number> {
  const [row] = await queryRows<{ waiting: number }>(
    em,
    `select count(*)::int as waiting from signals where account_id = ? and status in ('pending', 'scheduled')`,
    [accountId],
  )
  return row!.waiting
}

/** The sender of a signal, as `nameActor()` names them: by the token's id, its owner and the user. */
const SENDER = `coalesce(
  (select case kind when 'hook' then 'hook ' else 'token ' end || to_json(label)::text from access_tokens where id = ?::uuid and user_id = ?::uuid),
  (select email from users where id = ?::uuid))`

/** When its turn comes among the signals of its account and symbol, which are locked; null until a person has approved it. */
const TURN = `case when ?::text <> 'pending' then greatest(?::timestamptz, clock_timestamp()) end`

/** How a signal is stored. */
export type StoringTerms = Omit<Storable, 'limit'> & {
  /** False for a signal that is stored in any case. */
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

/**
 * The statement of {@link insertSignal} and {@link insertIfStorable}.
 *
 * @param onlyIf a condition and its values, without which nothing is stored: then it tells `denied`
 */
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

/** The account is the user's, and of this kind. */
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

/** A user's signal; null when there is none with this id. */
export async function findSignal(em: EntityManager, userId: string, id: string): Promise<Signal | null> {
  return findRow(em, Signal, { id, userId })
}

/** A user's signals with these ids, in no order; those that are not theirs are absent. */
export async function findSignals(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<Signal[]> {
  return findRows(em, Signal, { id: { $in: [...ids] }, userId })
}

/** The one signal of the account that holds this sourceId, which may have ended while an order of it works; null when it is free. */
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
    /** Any of these. */
    status: readonly SignalStatus[]
    /** Any of these. */
    exitStatus: readonly ExitStatus[]
    /** Instants of acceptance: from this one on, and before that one. */
    from: string
    to: string
  }
>

export const SIGNAL_SORTS = ['newest', 'validUntil'] as const
export type SignalSort = (typeof SIGNAL_SORTS)[number]

/** Later than every instant at which a signal expires. */
const NEVER = '9999-12-31T00:00:00Z'

/** The orders in which signals are listed. By validUntil the soonest to expire comes first, those that never do last. */
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

/** A user's signals in one of {@link SIGNAL_ORDERS}. */
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

/** The timeline of one of the user's signals, oldest entry first; empty for a signal that is not theirs. */
export async function listSignalEvents(
  em: EntityManager,
  userId: string,
  signalId: string,
  page: Page,
): Promise<Slice<SignalEvent>> {
  if (!(await findSignal(em, userId, signalId))) return emptySlice()
  return sliceOf(em, SignalEvent, { signalId }, SIGNAL_EVENT_ORDER, page)
}

/** Signals of all users that are stored and whose workflow is not known to run, oldest first. */
export async function unstartedSignals(
  em: EntityManager,
  excluding: readonly string[],
  limit: number,
): Promise<Signal[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where workflow_started_at is null
       ${excluding.length > 0 ? 'and id not in (?)' : ''} order by accepted_at limit ?`,
    excluding.length > 0 ? [excluding, limit] : [limit],
  )
  const ids = rows.map((row) => row.id)
  return ids.length === 0 ? [] : em.find(Signal, { id: { $in: ids } }, { orderBy: { acceptedAt: 'asc' } })
}

/** How many signals of a user are to be sent and have no outcome yet; counted to the limit. */
export async function countQueued(em: EntityManager, userId: string, limit: number): Promise<number> {
  const [row] = await queryRows<{ queued: number }>(
    em,
    `select count(*)::int as queued
     from (select from signals where user_id = ? and status = 'queued' limit ?) queued`,
    [userId, limit],
  )
  return row!.queued
}

/**
 * Takes away a signal that was stored and whose sender was told that it was not. One whose workflow runs stays, and so does one
 * that a repetition of the request was answered with ({@link keepTold}).
 */
export async function removeUnstarted(em: EntityManager, signalId: string): Promise<void> {
  await em.transactional(async (inner) => {
    // Signals that wait for this one hear of a change, and not of a deletion.
    const doomed = await inner.execute<object[]>(
      `update signals set status = 'error' where id = ? and workflow_started_at is null and told_at is null returning id`,
      [signalId],
    )
    if (doomed.length > 0) await inner.execute('delete from signals where id = ?', [signalId], 'run')
  })
}

/** Keeps a signal that a request is answered with from being taken away; false when that has been done. */
export async function keepTold(em: EntityManager, signalId: string): Promise<boolean> {
  const kept = await queryRows(em, 'update signals set told_at = now() where id = ? returning id', [signalId])
  return kept.length > 0
}

/** Records that the signal's workflow runs, so that it is not started again. */
export async function markStarted(em: EntityManager, userId: string, signalId: string): Promise<void> {
  await em.execute(
    'update signals set workflow_started_at = now() where id = ? and user_id = ? and workflow_started_at is null',
    [signalId, userId],
    'run',
  )
}
