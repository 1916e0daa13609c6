import type { Decimal } from '#domain/decimal.ts'
import { isTerminal } from '#domain/order.ts'
import { resolveAlert } from '../risk/alerts.ts'
import type { EntityManager } from '../engine/database.ts'
import { Order } from '../entities/index.ts'
import { mergeOrderReport, reportOf, type FollowedOrder } from '../orders/reports.ts'

export interface LostOrder extends FollowedOrder {
  userId: string
  accountId: string
  clientOrderId: string
  symbol: string
  filledQuantity: Decimal
}

/** It counts as cancelled with the known fill; else says why not. `told`: milliseconds of its alert. */
export async function declareOrderLost(
  em: EntityManager,
  orderId: string,
  { by, told }: { by: string; told: number },
): Promise<LostOrder | 'unknown_here' | 'ended' | 'known_at_broker'> {
  const order = await em.fork().findOne(Order, { id: orderId })
  const report = order && reportOf(order)
  if (!order || !report) return 'unknown_here'
  if (isTerminal(report.status)) return 'ended'
  const signalId = order.signalId ?? null
  const subject = { accountId: order.accountId, signalId, ...(signalId === null && { orderId }) }
  const alerts = await em.execute<unknown[]>(
    `select from alerts where kind = 'order_unknown_at_broker' and resolved_at is null
       and coalesce(signal_id, order_id) = ? and data ->> 'clientOrderId' = ?
       and raised_at <= now() - ? * interval '1 millisecond'`,
    [signalId ?? orderId, report.clientOrderId, told],
  )
  if (alerts.length === 0) return 'known_at_broker'
  // Whoever lets an entry go knows of its end; shares left open by an exit are still alerted.
  await em.execute(
    `update orders set cancel_asked_by = coalesce(cancel_asked_by, ?) where id = ? and role <> 'exit'`,
    [by, orderId],
  )
  await mergeOrderReport(em, order.accountId, {
    ...report,
    status: 'CANCELLED',
    reason: `Declared lost by ${by}: its broker does not know it`,
  })
  const { userId, accountId } = order
  const { clientOrderId, symbol, filledQuantity } = report
  await resolveAlert(em, subject, 'order_unknown_at_broker', { clientOrderId })
  return { orderId, signalId, userId, accountId, clientOrderId, symbol, filledQuantity }
}
