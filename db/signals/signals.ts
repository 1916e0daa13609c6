import { SIGNAL_EVENT_ORDER } from '../orders/event-order.ts'
import { LOCK_ACCOUNT_SYMBOL } from '../orders/symbol-lock.ts'
import { FREED_STATUSES, type SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal, SignalEvent } from '../entities/index.ts'
import { given, within, type Filter } from '../engine/filter.ts'
import { emptySlice, newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { findRow, findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'

/** A signal as it is accepted: what was asked for, and the status it begins with. */
export type NewSignal = Omit<
  Signal,
  | 'statusReason'
  | 'statusDetail'
  | 'orderId'
  | 'filledQuantity'
  | 'avgFillPrice'
  | 'exitStatus'
  | 'exitSubmitAt'
  | 'exitOrderId'
  | 'exitReason'
  | 'workflowStartedAt'
  | 'updatedAt'
>

/** Columns of an accepted signal in the order of the values below; jsonb ones travel as text. */
const COLUMNS = `id, user_id, account_id, strategy_id, source_id, payload_hash, symbol, action, quantity,
  quantity_type, execute_mode, order_type, limit_price, stop_price, time_in_force, expires_at, extended_hours,
  scheduled_at, valid_until, timezone, exit_rule, metadata, advisories, status, accepted_at, send_before`

/**
 * Stores a signal and the first entry of its timeline in one statement, and tells whether it did: false when a
 * living signal of the account has the same sourceId. The unique index decides, so that of any number of
 * senders at once exactly one is told true. The schema refuses an account or strategy of another user.
 *
 * The turn is taken before the row draws its sequence number, so that signals of one account and symbol become
 * visible in the order of their numbers: none comes to light behind one that has already looked for it.
 */
export async function insertSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
): Promise<boolean> {
  return (await storeSignal(em, signal, received, null)) === 'stored'
}

/**
 * Like {@link insertSignal}, for a signal that will wait for a person or for its time, if fewer than `most` of its
 * account wait. Exact, however many are stored at once; signals that take the place of another are not stored by this,
 * and are not refused.
 *
 * taken: a living signal of the account has the same sourceId. full: there is no room, whatever the sourceId.
 */
export async function insertWaitingSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  most: number,
): Promise<Storing> {
  return storeSignal(em, signal, received, most)
}

type Storing = 'stored' | 'taken' | 'full'

/** @param maxWaiting signals of the account that may wait; null for a signal that is stored in any case */
async function storeSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  maxWaiting: number | null,
): Promise<Storing> {
  const values = [
    signal.id,
    signal.userId,
    signal.accountId,
    signal.strategyId,
    signal.sourceId,
    signal.payloadHash,
    signal.symbol,
    signal.action,
    signal.quantity,
    signal.quantityType,
    signal.executeMode,
    signal.orderType,
    signal.limitPrice,
    signal.stopPrice,
    signal.timeInForce,
    signal.expiresAt,
    signal.extendedHours,
    signal.scheduledAt,
    signal.validUntil,
    signal.timezone,
    asJson(signal.exitRule),
    asJson(signal.metadata),
    asJson(signal.advisories),
    signal.status,
    signal.acceptedAt,
    signal.sendBefore,
  ]
  const isCounted = maxWaiting !== null
  const rows = await queryRows<{ id: string | null; room: boolean }>(
    em,
    `with room as materialized (
       select ${isCounted ? 'may_wait(?::uuid, ?::integer)' : 'true'} as found from (${LOCK_ACCOUNT_SYMBOL}) as turn
     ), accepted as (
       insert into signals (${COLUMNS}) select ${values.map(() => '?').join(', ')} from room where found
       -- By its sourceId; or by its id, when a replacement is stored again that was stored before and has ended.
       on conflict do nothing
       returning id
     ), told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, ?::timestamptz, ?, ?::jsonb from accepted
     )
     select (select id from accepted) as id, found as room from room`,
    [
      ...(isCounted ? [signal.accountId, maxWaiting] : []),
      signal.accountId,
      signal.symbol,
      ...values,
      received.key,
      received.kind,
      received.at,
      received.message,
      asJson(received.data ?? null),
    ],
  )
  const { id, room } = rows[0]!
  if (!room) return 'full'
  return id === null ? 'taken' : 'stored'
}

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

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

/** The one signal of the account that holds this sourceId; null when it is free. */
export async function findLiveBySource(
  em: EntityManager,
  userId: string,
  accountId: string,
  sourceId: string,
): Promise<Signal | null> {
  return findRow(em, Signal, { userId, accountId, sourceId, status: { $nin: [...FREED_STATUSES] } })
}

export type SignalFilter = Filter<
  Pick<Signal, 'accountId' | 'symbol' | 'executeMode'> & {
    strategyId: string
    sourceId: string
    /** Any of these. */
    status: readonly SignalStatus[]
    /** Instants of acceptance: from this one on, and before that one. */
    from: string
    to: string
  }
>

export const SIGNAL_ORDER = newestFirst('accepted_at')

/** A user's signals, newest first. */
export async function listSignals(
  em: EntityManager,
  userId: string,
  { status, from, to, ...filter }: SignalFilter,
  page: Page,
): Promise<Slice<Signal>> {
  const where = {
    ...given(filter),
    userId,
    ...(status && { status: { $in: [...status] } }),
    ...within('acceptedAt', from, to),
  }
  return sliceOf(em, Signal, where, SIGNAL_ORDER, page)
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

/**
 * Signals of all users that were stored over a second ago and whose workflow is not known to run, oldest
 * first. By the database's clock, which every sender of signals shares.
 */
export async function unstartedSignals(
  em: EntityManager,
  excluding: readonly string[],
  limit: number,
): Promise<Signal[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from signals where workflow_started_at is null and accepted_at < now() - interval '1 second'
       ${excluding.length > 0 ? 'and id not in (?)' : ''} order by accepted_at limit ?`,
    excluding.length > 0 ? [excluding, limit] : [limit],
  )
  const ids = rows.map((row) => row.id)
  return ids.length === 0 ? [] : em.find(Signal, { id: { $in: ids } }, { orderBy: { acceptedAt: 'asc' } })
}

/** Notes that the signal's workflow runs, so that nobody starts it again. */
export async function markStarted(em: EntityManager, userId: string, signalId: string): Promise<void> {
  await em.execute(
    'update signals set workflow_started_at = now() where id = ? and user_id = ? and workflow_started_at is null',
    [signalId, userId],
    'run',
  )
}
