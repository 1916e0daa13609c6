import { defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderReport, OrderStatus } from '#domain/order/order.ts'

/** Message from the feed: an order has ended, or has filled further after its end. */
export const orderChanged = defineSignal<[OrderReport]>('orderChanged')

/**
 * Update: answers once the order has ended or its broker was asked; it may still fill. Filled shares of an entry get
 * their exit; after a cancelled exit the position stays. Rejected with ORDER_NOT_CANCELLABLE when the order has ended.
 */
export const cancelOrder = defineUpdate<CancelAnswer, [OrderCancel]>('cancelOrder')
export const ORDER_NOT_CANCELLABLE = 'ORDER_NOT_CANCELLABLE'
export interface OrderCancel {
  clientOrderId: string
  by: string
  at?: string
}
export interface CancelAnswer {
  /** A working status until the broker confirms the cancel. */
  status: OrderStatus
  filledQuantity: Decimal
}
