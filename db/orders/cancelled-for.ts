import { cancelRequestedEntry } from '#domain/timeline.ts'
import type { LiveOrder } from '#domain/symbol-book.ts'
import type { EntityManager } from '../engine/database.ts'
import { recordManualOrderCancelRequested } from './manual-order-ledger.ts'
import { write } from '../signals/ledger-write.ts'

/**
 * Notes that an order which works is cancelled so that another one can be placed, and for which. To be written before
 * the broker is asked: whoever hears of the order's end has to know why it ended.
 *
 * @param closer client order id of the order that needs the way
 */
export async function recordCancelledFor(
  em: EntityManager,
  { clientOrderId, signalId }: Pick<LiveOrder, 'clientOrderId' | 'signalId'>,
  closer: string,
  at: string,
): Promise<void> {
  const by = `order ${closer}, which it stood in the way of,`
  const [order] = await em.execute<{ id: string }[]>(
    `update orders set cancelled_for = ? where client_order_id = ? and status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
     returning id`,
    [closer, clientOrderId],
  )
  if (!order) return
  if (signalId === null) await recordManualOrderCancelRequested(em, order.id, at, { clientOrderId, by })
  else await write(em, signalId, { set: {}, timeline: [cancelRequestedEntry(at, clientOrderId, by)] })
}

/** The order for which this one was cancelled, by its client order id; null when it was for none. */
export async function readCancelledFor(em: EntityManager, clientOrderId: string): Promise<string | null> {
  const [order] = await em.execute<{ cancelled_for: string | null }[]>(
    'select cancelled_for from orders where client_order_id = ?',
    [clientOrderId],
  )
  return order?.cancelled_for ?? null
}
