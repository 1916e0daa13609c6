import type { Account, Order } from '#db/entities/index.ts'
import { subtract, add, negate } from '#domain/money/decimal.ts'
import { isTerminal } from '#domain/order/order.ts'
import { presentAs, toIsoInstant, toJsonNumber, workflowOf } from '../http/presentation.ts'
import {
  type CancelAllAnswer,
  type CancellationAnswer,
  type OrderAnswer,
  type OrderDetailAnswer,
  type OrderStatusAnswer,
  orderAnswer,
  orderDetailAnswer,
  ORDER_TYPES_OUT,
  type PlacedAnswer,
  type RejectedAnswer,
  type OrderDryRunAnswer,
} from '#contract/order/shapes.ts'
import { presentLevel } from '../exit/present.ts'
import type { CancelledLine, Cancellation } from './cancel.ts'
import type { OrderByHand } from '#db/order/by-hand.ts'
import { ERRORS, type ErrorCode } from '#contract/errors.ts'
import { isOnItsWay, type Placement } from './commands.ts'
import { costOf, signedQuantity } from '#domain/risk/buying-power.ts'
import type { DryRun } from '../signal/dry-run.ts'
import { presentDryRun } from '../signal/check.ts'

const presentTimeInForce = (order: Order): OrderAnswer['timeInForce'] =>
  order.timeInForce.toUpperCase() as Uppercase<Order['timeInForce']>

/** A manual order shows no signal. */
const ofOrder = (order: Order) => ({
  orderType: ORDER_TYPES_OUT[order.orderType],
  trail: order.trail ? presentLevel(order.trail) : null,
  timeInForce: presentTimeInForce(order),
  signalId: order.role === 'manual' ? null : order.signalId,
})

export const presentOrder = (order: Order): OrderAnswer => presentAs(orderAnswer, order, ofOrder(order))

export const presentOrderDetail = (
  order: Order,
  account: Account,
  temporalUi: string | null,
): OrderDetailAnswer =>
  presentAs(orderDetailAnswer, order, {
    ...ofOrder(order),
    duration: presentTimeInForce(order),
    account: { id: account.id, name: account.name },
    workflow: workflowOf(order, temporalUi),
  })

export const presentOrderStatus = (order: Order, requestId: string): OrderStatusAnswer => ({
  orderId: order.id,
  status: order.status,
  filledQuantity: toJsonNumber(order.filledQuantity),
  remainingQuantity: isTerminal(order.status)
    ? 0
    : toJsonNumber(subtract(order.quantity, order.filledQuantity)),
  avgFillPrice: toJsonNumber(order.avgFillPrice),
  updatedAt: toIsoInstant(order.updatedAt),
  requestId,
})

const CANCEL_DONE = 'The order is cancelled'
const CANCEL_ASKED =
  'The order is being cancelled; the broker has not confirmed it yet, and until then it may fill'

export const presentCancellation = (
  { id: orderId }: Order,
  outcome: Cancellation,
  requestId: string,
): { status: number; body: CancellationAnswer } =>
  outcome === 'cancelled'
    ? { status: 200, body: { success: true, message: CANCEL_DONE, orderId, requestId } }
    : {
        status: 202,
        body: {
          success: true,
          message: CANCEL_ASKED,
          orderId,
          requestId,
        },
      }

export function presentCancelAll(
  { lines, left }: { lines: readonly CancelledLine[]; left: number },
  requestId: string,
): { status: number; body: CancelAllAnswer } {
  const orders = lines.map(({ order, outcome, problem }) => ({
    orderId: order.id,
    symbol: order.symbol,
    outcome,
    error: problem?.code ?? null,
    message: problem?.message ?? (outcome === 'cancelled' ? CANCEL_DONE : CANCEL_ASKED),
  }))
  const isDone = orders.every(({ outcome }) => outcome === 'cancelled' || outcome === 'over')
  const success = left === 0 && orders.every(({ outcome }) => outcome !== 'failed')
  return { status: isDone && left === 0 ? 200 : 202, body: { success, orders, left, requestId } }
}

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
  // It could not be sent in time.
  if (denialCode === 'STALE') return { status: 502, error: 'BROKER_ERROR', message }
  const error = denialCode ?? 'BROKER_ERROR'
  return { status: REFUSAL_STATUSES[error as ErrorCode] ?? REFUSED, error, message }
}

/** The broker or a rule rejected a valid order. */
const REFUSED = 422
const REFUSAL_STATUSES: Partial<Record<ErrorCode, number>> = {
  INVALID_ORDER: ERRORS.INVALID_ORDER.status,
  MODE_MISMATCH: ERRORS.MODE_MISMATCH.status,
  POSITION_HELD: ERRORS.POSITION_HELD.status,
  BROKER_CREDENTIALS_INVALID: ERRORS.BROKER_CREDENTIALS_INVALID.status,
}

export function presentOrderDryRun(run: DryRun, requestId: string): OrderDryRunAnswer {
  const { order, buyingPower, orderCosts, position, quote } = run
  const held =
    position === null ? '0' : position.side === 'LONG' ? position.quantity : negate(position.quantity)
  return {
    ...presentDryRun(run, requestId),
    cost: toJsonNumber(costOf(order, quote, orderCosts)),
    buyingPower: toJsonNumber(buyingPower),
    position: {
      before: toJsonNumber(held),
      after: toJsonNumber(order && add(held, signedQuantity(order))),
    },
    checkedAt: toIsoInstant(new Date()),
  }
}
