import type { OrderStatus } from '#domain/order/order.ts'
import type { EntityManager } from '../engine/database.ts'
import { Account, Order, SignalEvent } from '../entities/index.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, sliceOfRows, type Page, type Slice } from '../engine/page.ts'
import { findRow, readerOf, selectOf } from '../engine/reading.ts'
import { SIGNAL_EVENT_ORDER } from './decisions.ts'

export type OrderFilter = Filter<{
  accountId: string
  accountIds: readonly string[]
  symbol: string
  signalId: string
  roles: readonly Order['role'][]
  statuses: readonly OrderStatus[]
  /** First known from `from`, before `to`. */
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
    sql: `${sql} and exists (
      select from signals s where s.id = e.signal_id and s.user_id = e.user_id and s.token_id = ?)`,
    parameters: [...parameters, sentBy],
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
  { userId, signalId }: Pick<Order, 'userId' | 'signalId'>,
): Promise<string | null> {
  const [row] = await em.execute<{ tokenId: string | null }[]>(
    `select token_id as "tokenId" from signals where id = ? and user_id = ?`,
    [signalId, userId],
  )
  return row?.tokenId ?? null
}

export const ORDER_EVENT_ORDER = SIGNAL_EVENT_ORDER

export const listOrderEvents = (
  em: EntityManager,
  { signalId, clientOrderId, role }: Order,
  page: Page,
): Promise<Slice<SignalEvent>> =>
  sliceOf(
    em,
    SignalEvent,
    { signalId, ...(role !== 'manual' && { data: { clientOrderId } }) },
    ORDER_EVENT_ORDER,
    page,
  )
