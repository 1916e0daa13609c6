import type { Account, Order } from '#db/entities/index.ts'
import { findOrder } from '#db/orders/queries.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

export async function ownOrder(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  orderId: string,
): Promise<{ order: Order; account: Account }> {
  const found = await inTime(findOrder(em, principal.userId, orderId))
  if (!found) throw new ApiError('ORDER_NOT_FOUND')
  return found
}
