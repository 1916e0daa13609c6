import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'

/** The messages about single orders, which the workflow of a signal and that of a manual order both take. */

/** Message from the broker feed: an order has ended, or has filled further after its end. */
export const orderChanged = defineSignal<[OrderReport]>('orderChanged')

/**
 * Update: has an order cancelled. Answers once the order has ended or its broker was asked, which is not done yet: it
 * may still fill. What an entry has filled gets its exit; after a cancelled exit the position stays. A manual order that
 * was not sent ends without being sent. Refused with ORDER_NOT_CANCELLABLE when the order has ended, naming its status.
 */
export const cancelOrder = defineUpdate<CancelAnswer, [OrderCancel]>('cancelOrder')
export const ORDER_NOT_CANCELLABLE = 'ORDER_NOT_CANCELLABLE'
export interface OrderCancel {
  clientOrderId: string
  /** Who, as shown in the timeline. */
  by: string
  /** When the workflow was asked, which notes it; UTC instant. */
  at?: string
}
export interface CancelAnswer {
  /** A working one when the broker has not confirmed the cancel yet: the order may still fill. */
  status: OrderStatus
  /** Shares. */
  filledQuantity: Decimal
}
