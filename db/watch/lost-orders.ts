import type { Decimal } from '#domain/money/decimal.ts'
import { isTerminal } from '#domain/order/order.ts'
import { resolveAlert } from '../alert/alerts.ts'
import type { EntityManager } from '../engine/database.ts'
import { Order } from '../entities/index.ts'
import { mergeOrderReport, reportOf, type FollowedOrder } from '../order/reports.ts'

export interface LostOrder extends FollowedOrder {
  userId: string
  accountId: string
  clientOrderId: string
  symbol: string
  filledQuantity: Decimal
}

/** Cancels with the known fill, or returns why not. `missed`: milliseconds without a sign of the order. */
export async function declareOrderLost(
  em: EntityManager,
  orderId: string,
  { by, missed }: { by: string; missed: number },
): Promise<LostOrder | 'unknown_here' | 'ended' | 'known_at_broker'> {
  const order = await em.fork().findOne(Order, { id: orderId })
  const report = order && reportOf(order)
  if (!order || !report) return 'unknown_here'
  if (isTerminal(report.status)) return 'ended'
  const { signalId } = order
  const { unconfirmedSince = null } = order
  if (unconfirmedSince === null || unconfirmedSince.getTime() > Date.now() - missed) return 'known_at_broker'
  const { userId, accountId } = order
  const { clientOrderId, symbol, filledQuantity } = report
  const reason = `Declared lost by ${by}: its broker does not know it`
  const isEnded = await em.fork().transactional(async (inner) => {
    const ended = await mergeOrderReport(inner, accountId, { ...report, status: 'CANCELLED', reason }, 'us')
    if (ended === null) return false
    // The person knows the entry's end; shares left by an exit still raise an alert.
    await inner.execute(
      `update orders set cancel_asked_by = coalesce(cancel_asked_by, ?) where id = ? and role <> 'exit'`,
      [by, orderId],
    )
    await resolveAlert(inner, { accountId, signalId }, 'order_unknown_at_broker', { clientOrderId })
    return true
  })
  if (!isEnded) return 'known_at_broker'
  return { orderId, signalId, userId, accountId, clientOrderId, symbol, filledQuantity }
}
