import type { LiveOrder } from '#domain/symbol-book.ts'
import type { EntityManager } from '../engine/database.ts'
import { WORKING } from '../engine/status-lists.ts'
import { tellOfGivingWay } from '../signals/ledger.ts'

/**
 * Records that a working order is cancelled so that another order can be placed, and for which order. Written each time before
 * the broker is asked, because the reason has to be known when the end of the order is reported. It ends with the other order
 * ({@link CANCELLED_FOR_AT_ITS_END}).
 *
 * @param closer client order id of the order that the cancelled one blocks
 */
export async function recordCancelledFor(
  em: EntityManager,
  { clientOrderId, signalId }: Pick<LiveOrder, 'clientOrderId' | 'signalId'>,
  closer: string,
  at: string,
): Promise<void> {
  const [order] = await em.execute<{ id: string }[]>(
    `update orders set cancelled_for = ?, cancelled_for_at = now() where client_order_id = ? and status in ${WORKING}
     returning id`,
    [closer, clientOrderId],
  )
  if (!order) return
  const owner = signalId === null ? { orderId: order.id } : { signalId }
  await tellOfGivingWay(em, owner, at, { clientOrderId, closer })
}

/** Client order id of the order for which this one, which has ended, was cancelled; null when there is none. */
export async function readCancelledFor(em: EntityManager, clientOrderId: string): Promise<string | null> {
  const [order] = await em.execute<{ cancelled_for: string | null }[]>(
    'select cancelled_for from orders where client_order_id = ?',
    [clientOrderId],
  )
  return order?.cancelled_for ?? null
}
