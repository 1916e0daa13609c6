import type { Account, Order } from '#db/entities/index.ts'
import { subtract } from '#domain/decimal.ts'
import { isTerminal } from '#domain/order.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { workflowOf } from '../http/workflow-link.ts'
import type {
  CancelAllAnswer,
  CancellationAnswer,
  OrderAnswer,
  OrderDetailAnswer,
  OrderStatusAnswer,
} from '#contract/orders/answers.ts'
import { presentLevel } from '../signals/protection-record.ts'
import type { CancelledLine } from './cancel-all-commands.ts'
import type { Cancellation } from './cancel-commands.ts'
import { ORDER_TYPES_OUT } from '#contract/orders/schema.ts'

const presentTimeInForce = (order: Order): OrderAnswer['timeInForce'] =>
  order.timeInForce.toUpperCase() as Uppercase<Order['timeInForce']>

export const presentOrder = (order: Order): OrderAnswer => ({
  id: order.id,
  accountId: order.accountId,
  brokerOrderId: order.brokerOrderId ?? null,
  symbol: order.symbol,
  side: order.side,
  orderType: ORDER_TYPES_OUT[order.orderType],
  quantity: toJsonNumber(order.quantity),
  filledQuantity: toJsonNumber(order.filledQuantity),
  limitPrice: toJsonNumber(order.limitPrice),
  stopPrice: toJsonNumber(order.stopPrice),
  stopLimitPrice: toJsonNumber(order.stopLimitPrice),
  trail: order.trail ? presentLevel(order.trail) : null,
  avgFillPrice: toJsonNumber(order.avgFillPrice),
  status: order.status,
  timeInForce: presentTimeInForce(order),
  expiresAt: toIsoInstant(order.expiresAt),
  createdAt: toIsoInstant(order.createdAt),
  filledAt: toIsoInstant(order.filledAt),
  signalId: order.role === 'manual' ? null : order.signalId,
  role: order.role,
})

export const presentOrderDetail = (
  order: Order,
  account: Account,
  temporalUi: string | null,
): OrderDetailAnswer => ({
  ...presentOrder(order),
  duration: presentTimeInForce(order),
  updatedAt: toIsoInstant(order.updatedAt),
  clientOrderId: order.clientOrderId,
  extendedHours: order.extendedHours,
  reason: order.reason ?? null,
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
