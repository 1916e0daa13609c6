import type { OrderStatus } from '#domain/order.ts'
import type { EntityManager } from './database.ts'
import { Account, Order } from './entities/index.ts'
import { given, within, type Filter } from './filter.ts'
import { newestFirst, sliceOf, type Page, type Slice } from './page.ts'
import { findRow } from './reading.ts'

export type OrderFilter = Filter<{
  accountId: string
  symbol: string
  /** Any of these. */
  statuses: readonly OrderStatus[]
  /** Instants at which we first knew of the order: from this one on, and before that one. */
  from: string
  to: string
}>

export const ORDER_ORDER = newestFirst('created_at')

/** A user's orders, newest first. */
export async function listOrders(
  em: EntityManager,
  userId: string,
  { statuses, from, to, ...filter }: OrderFilter,
  page: Page,
): Promise<Slice<Order>> {
  const where = {
    ...given(filter),
    userId,
    ...(statuses && { status: { $in: [...statuses] } }),
    ...within('createdAt', from, to),
  }
  return sliceOf(em, Order, where, ORDER_ORDER, page)
}

/** A user's order and its account; null when there is none with this id. */
export async function findOrder(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<{ order: Order; account: Account } | null> {
  const order = await findRow(em, Order, { id, userId })
  const account = order && (await findRow(em, Account, { id: order.accountId, userId }))
  return account && { order, account }
}
