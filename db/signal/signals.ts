import { SIGNAL_EVENT_ORDER } from '../order/decisions.ts'
import type { Origin } from '#domain/signal/origin.ts'
import type { ExitStatus } from '#domain/exit/exit.ts'
import type { SignalStatus } from '#domain/signal/signal.ts'
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
import { findRow, findRows, readerOf, selectOf } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { FREED } from '../engine/query.ts'
import { IS_NO_MESSAGE } from './requests.ts'
import { REPEATED } from './storing.ts'
import type { SignalSort } from '#domain/signal/list-choices.ts'

/** A live signal with the same body within 30 s, if the token's owner merges repetitions. */
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

export async function countWaiting(em: EntityManager, accountId: string): Promise<number> {
  const [row] = await queryRows<{ waiting: number }>(
    em,
    `select count(*)::int as waiting from signals where account_id = ? and status in ('pending', 'scheduled')`,
    [accountId],
  )
  return row!.waiting
}

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

/** Perhaps ended with an open order; null when the sourceId is free. */
export async function findLiveBySource(
  em: EntityManager,
  userId: string,
  accountId: string,
  sourceId: string,
): Promise<Signal | null> {
  const [holder] = await queryRows<{ id: string }>(
    em,
    `select id from signals where user_id = ? and account_id = ? and source_id = ?
       and (status not in ${FREED} or may_have_order)`,
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
    origin: readonly Origin[]
    status: readonly SignalStatus[]
    exitStatus: readonly ExitStatus[]
    /** Accepted from `from`, before `to`. */
    from: string
    to: string
  }
>

const NEVER = '9999-12-31T00:00:00Z'

/** `validUntil`: soonest first, never-expiring last. */
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
  {
    symbol,
    origin,
    status,
    exitStatus,
    from,
    to,
    sort = 'newest',
    ...filter
  }: SignalFilter & { sort?: SignalSort },
  page: Page,
): Promise<Slice<Signal>> {
  const where = {
    ...given(filter),
    ...ofSymbols(symbol),
    userId,
    ...(origin && { origin: { $in: [...origin] } }),
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
     from (select from signals where user_id = ? and status = 'queued' and ask is null limit ?) queued`,
    [userId, limit],
  )
  return row!.queued
}

/** Removes signals answered as failed, with group and name; not once one runs, or after {@link keepNotified}. */
export async function removeUnstarted(em: EntityManager, signalIds: readonly string[]): Promise<void> {
  await em.transactional(async (inner) => {
    const found = await inner.execute<{ id: string; group_id: string | null; stays: boolean }[]>(
      `select id, group_id, workflow_started_at is not null or notified_at is not null as stays from signals where id in (?)
       order by account_id, id for update`,
      [signalIds],
    )
    if (found.length === 0 || found.some(({ stays }) => stays)) return
    // Waiting signals are notified of a change, not of a deletion.
    await inner.execute(`update signals set status = 'error' where id in (?)`, [signalIds])
    await inner.execute('delete from signals where id in (?)', [signalIds])
    const groupIds = [...new Set(found.flatMap(({ group_id: id }) => id ?? []))]
    if (groupIds.length > 0) await inner.execute('delete from signal_groups where id in (?)', [groupIds])
    await inner.execute(`delete from requests r where r.id in (?) and ${IS_NO_MESSAGE}`, [
      [...signalIds, ...groupIds],
    ])
  })
}

/** Prevents removal of answered signals; false when removed already. */
export async function keepNotified(em: EntityManager, signalIds: readonly string[]): Promise<boolean> {
  const kept = await queryRows(
    em,
    `with kept as (select id from signals where id in (?) order by account_id, id for update)
     update signals s set notified_at = now() from kept where s.id = kept.id returning s.id`,
    [signalIds],
  )
  return kept.length === signalIds.length
}
