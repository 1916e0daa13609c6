import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { PlacementAnswer } from '#workflows/manual-order/contract.ts'
import type { CancelAnswer, OrderCancel } from '#workflows/order/contract.ts'

export type CancelRecipient =
  /** The order's own workflow, started with these terms if need be. */
  | { placedBy: 'manual'; orderId: string; startWith: ManualOrderTerms | null }
  | { placedBy: 'signal'; signalId: string; clientOrderId: string }

/** Waits, idempotence and errors as in {@link SignalGateway}. */
export interface OrderGateway {
  /** Starts or finds the workflow, and waits until the order is placed or known not to be. */
  placeOrder(terms: ManualOrderTerms, milliseconds: number): Promise<PlacementAnswer>
  /** Idempotent, also after the end. */
  startOrder(terms: ManualOrderTerms, milliseconds?: number): Promise<void>
  /** Null when the workflow has taken it up and is not done in time: it goes on until the order has ended. */
  cancelOrder(
    to: CancelRecipient,
    cancel: Pick<OrderCancel, 'by'>,
    milliseconds: number,
  ): Promise<CancelAnswer | null>
}
