import type { OrderStatus } from '#domain/order.ts'
import type { EntityManager } from '../engine/database.ts'
import { Account, Order, OrderEvent, SignalEvent } from '../entities/index.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, sliceOfRows, type Page, type Slice } from '../engine/page.ts'
import { findRow, readerOf, selectOf } from '../engine/reading.ts'
import { SIGNAL_EVENT_ORDER } from './event-order.ts'

export type OrderFilter = Filter<{
  accountId: string
  accountIds: readonly string[]
  symbol: string
  signalId: string
  roles: readonly Order['role'][]
  statuses: readonly OrderStatus[]
  /** When we first knew of the order: from `from` on, before `to`. */
  from: string
  to: string
  sentBy: string
}>

export const ORDER_ORDER = newestFirst('created_at')

export async function listOrders(
  em: EntityManager,
  userId: string,
  { accountIds, symbol, statuses, roles, from, to, sentBy, ...filter }: OrderFilter,
  page: Page,
): Promise<Slice<Order>> {
  const where = {
    ...given(filter),
    ...ofSymbols(symbol),
    userId,
    ...(accountIds && { $and: [{ accountId: { $in: [...accountIds] } }] }),
    ...(statuses && { status: { $in: [...statuses] } }),
    ...(roles && { role: { $in: [...roles] } }),
    ...within('createdAt', from, to),
  }
  if (sentBy === undefined) return sliceOf(em, Order, where, ORDER_ORDER, page)
  const { sql, parameters } = selectOf(em, Order, where)
  const list = {
    sql: `${sql} and (
      exists (select from signals s where s.id = e.signal_id and s.user_id = e.user_id and s.token_id = ?)
      or exists (select from manual_orders h where h.order_id = e.id and h.user_id = e.user_id and h.token_id = ?))`,
    parameters: [...parameters, sentBy, sentBy],
  }
  const slice = await sliceOfRows<Record<string, unknown>>(em, list, ORDER_ORDER, page)
  return { ...slice, items: slice.items.map(readerOf(em, Order)) }
}

export async function findOrder(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<{ order: Order; account: Account } | null> {
  const order = await findRow(em, Order, { id, userId })
  const account = order && (await findRow(em, Account, { id: order.accountId, userId }))
  return account && { order, account }
}

export async function findSendingToken(
  em: EntityManager,
  { id, userId, signalId }: Pick<Order, 'id' | 'userId' | 'signalId'>,
): Promise<string | null> {
  const [row] = await em.execute<{ tokenId: string | null }[]>(
    `select coalesce(
       (select s.token_id from signals s where s.id = ?::uuid and s.user_id = ?),
       (select h.token_id from manual_orders h where h.order_id = ? and h.user_id = ?)) as "tokenId"`,
    [signalId ?? null, userId, id, userId],
  )
  return row?.tokenId ?? null
}

export const ORDER_EVENT_ORDER = SIGNAL_EVENT_ORDER

/** Oldest first; for a signal's order the part of the signal's timeline about it. */
export async function listOrderEvents(
  em: EntityManager,
  { id: orderId, userId, signalId, clientOrderId }: Order,
  page: Page,
): Promise<Slice<OrderEvent | SignalEvent>> {
  return signalId == null
    ? sliceOf(em, OrderEvent, { orderId, userId }, ORDER_EVENT_ORDER, page)
    : sliceOf(em, SignalEvent, { signalId, data: { clientOrderId } }, ORDER_EVENT_ORDER, page)
}
