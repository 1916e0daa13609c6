import type { OrderByHand } from '#db/orders/by-hand.ts'
import { ERRORS, type ErrorCode } from '#contract/errors.ts'
import type { PlacedAnswer, RejectedAnswer } from '#contract/orders/answers.ts'
import { isOnItsWay, type Placement } from './commands.ts'

export function presentPlacement(
  { outcome, order }: Placement,
  requestId: string,
): { status: number; body: { success: true; order: PlacedAnswer; requestId: string } | RejectedAnswer } {
  const rejection = rejectionOf(order)
  if (rejection !== null) {
    const { status, error, message } = rejection
    return { status, body: { error, message, order: presentPlaced(order), requestId } }
  }
  const status = outcome === 'repeated' ? 200 : isOnItsWay(order) ? 202 : 201
  return { status, body: { success: true, order: presentPlaced(order), requestId } }
}

export const presentPlaced = (order: OrderByHand): PlacedAnswer => ({
  id: order.orderId,
  brokerOrderId: order.brokerOrderId,
  status: order.status,
  message: [whatHappened(order), ...order.advisories.map(({ message }) => message)].join('. '),
})

function whatHappened(order: OrderByHand): string {
  const { status, reason, sendBefore } = order
  if (isOnItsWay(order))
    return `The order is stored and is sent as soon as possible, but not after ${sendBefore}: look it up by its id`
  if (status === 'REJECTED' || status === 'CANCELLED' || status === 'EXPIRED')
    return `The order is ${status}${reason === null ? '' : `: ${reason}`}`
  return 'The broker accepted the order'
}

export interface OrderRejection {
  status: number
  error: string
  message: string
}

export function rejectionOf({ status, denialCode, reason }: OrderByHand): OrderRejection | null {
  if (status !== 'REJECTED') return null
  const message = reason ?? 'The broker rejected the order'
  // Not known to have been refused by anybody: it could not be sent in time.
  if (denialCode === 'STALE') return { status: 502, error: 'BROKER_ERROR', message }
  const error = denialCode ?? 'BROKER_ERROR'
  return { status: REFUSAL_STATUSES[error as ErrorCode] ?? REFUSED, error, message }
}

/** The broker or a rule said no to an order that was understood. */
const REFUSED = 422
const REFUSAL_STATUSES: Partial<Record<ErrorCode, number>> = {
  INVALID_ORDER: ERRORS.INVALID_ORDER.status,
  MODE_MISMATCH: ERRORS.MODE_MISMATCH.status,
  POSITION_HELD: ERRORS.POSITION_HELD.status,
  BROKER_CREDENTIALS_INVALID: ERRORS.BROKER_CREDENTIALS_INVALID.status,
}
