import type { OrderStatus } from '#domain/order.ts'
import type { EntityManager } from './database.ts'
import { Account, Order } from './entities/index.ts'
import { given, type Filter } from './filter.ts'
import type { Page, Slice } from './page.ts'

export type OrderFilter = Filter<{
  accountId: string
  symbol: string
  /** Any of these. */
  statuses: readonly OrderStatus[]
}>

/** A user's orders, newest first. */
export async function listOrders(
  em: EntityManager,
  userId: string,
  { statuses, ...filter }: OrderFilter,
  page: Page,
): Promise<Slice<Order>> {
  const [items, total] = await em.findAndCount(
    Order,
    { ...given(filter), userId, ...(statuses && { status: { $in: [...statuses] } }) },
    { ...page, orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  return { items, total }
}

/** A user's order and its account; null when there is none with this id. */
export async function findOrder(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<{ order: Order; account: Account } | null> {
  const order = await em.findOne(Order, { id, userId })
  if (!order) return null
  return { order, account: await em.findOneOrFail(Account, { id: order.accountId, userId }) }
}
