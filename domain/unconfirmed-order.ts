import type { AlertNotice } from './alert.ts'

interface UnknownOrder {
  orderId: string
  clientOrderId: string
  brokerOrderId: string
}

/** @param doubt why the service does not end it of itself */
export const unknownAtBroker = (
  { orderId, clientOrderId, brokerOrderId }: UnknownOrder,
  doubt?: string,
): AlertNotice => ({
  kind: 'order_unknown_at_broker',
  message: `The broker does not know order ${clientOrderId} (${brokerOrderId}) any more, which it once accepted: ${doubt ?? 'whether it works or has filled is not known'}`,
  data: { orderId, clientOrderId, brokerOrderId },
})

/** Without the order's id, by which a person could let it go. */
export const endedUnconfirmed = (
  { clientOrderId, brokerOrderId }: UnknownOrder,
  reason: string,
): AlertNotice => ({
  kind: 'order_unknown_at_broker',
  message: `Order ${clientOrderId} (${brokerOrderId}) counts as ended: ${reason}. Should it show again, it is cancelled, and what it has filled counts`,
  data: { clientOrderId, brokerOrderId },
})
