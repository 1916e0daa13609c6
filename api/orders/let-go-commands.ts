import type { Database } from '#db/engine/database.ts'
import type { Order } from '#db/entities/index.ts'
import { declareOrderLost } from '#db/watch/lost-orders.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { requireCancellable } from './cancel-commands.ts'

/** Milliseconds for which the broker has to have been known not to know an order. */
const UNKNOWN_FOR = 60_000

/**
 * An order that its broker does not know any more, as after a paper account was reset, counts as cancelled with as much filled as
 * is known. Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED, and ORDER_NOT_CANCELLABLE unless the broker is known to have lost it.
 */
export async function letOrderGo(database: Database, caller: Caller, order: Order): Promise<void> {
  const { em, beforeDatabaseDeadline: inTime } = caller
  await requireCancellable(caller, order)
  const by = await caller.actorName()
  // The progress of orders is written in the name of the service; whose order it is was looked up in that of the caller.
  const lost = await inTime(declareOrderLost(database.em.fork(), order.id, { by, missed: UNKNOWN_FOR }))
  if (lost === 'ended' || lost === 'unknown_here')
    throw new ApiError('ORDER_NOT_CANCELLABLE', { message: `The order is ${order.status}` })
  if (lost === 'known_at_broker')
    throw new ApiError('ORDER_NOT_CANCELLABLE', {
      message: `The broker has not been asked for the order in vain for ${UNKNOWN_FOR / 1_000} seconds; cancel it instead`,
    })
  const { accountId, clientOrderId, symbol, filledQuantity } = lost
  const data = { accountId, orderId: order.id, clientOrderId, symbol, filledQuantity }
  await inTime(auditTrading(em, caller, 'order.let_go', data))
}
