import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { PlacementAnswer } from '#workflows/manual-order/contract.ts'
import type { CancelAnswer, OrderCancel } from '#workflows/order/contract.ts'

/** Whose workflow is to cancel an order. */
export type CancelRecipient =
  /** The order's own; started with these terms where nobody has yet. */
  | { placedBy: 'manual'; orderId: string; startWith: ManualOrderTerms | null }
  | { placedBy: 'signal'; signalId: string; clientOrderId: string }

/**
 * What the API asks of the workflow engine about single orders. Waits, idempotence and errors are those of
 * {@link SignalGateway}.
 */
export interface OrderGateway {
  /** Starts the order's workflow, or finds it running, and waits until the order is placed or known not to be. */
  placeOrder(terms: ManualOrderTerms, milliseconds: number): Promise<PlacementAnswer>
  /** Starts the order's workflow; one that was started before, even one that has ended, is fine. */
  startOrder(terms: ManualOrderTerms, milliseconds?: number): Promise<void>
  /**
   * Has an order cancelled. Null when its workflow has taken that up and is not done in time: then it goes on until the
   * order has ended.
   */
  cancelOrder(
    to: CancelRecipient,
    cancel: Pick<OrderCancel, 'by'>,
    milliseconds: number,
  ): Promise<CancelAnswer | null>
}
