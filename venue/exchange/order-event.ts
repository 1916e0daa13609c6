import type { Fill } from '../ledger/executions.ts'
import type { VenueOrder } from '../ledger/orders.ts'

/** Something that happened to an order, in the words of Alpaca's trade_updates. */
export interface OrderEvent {
  kind:
    | 'accepted'
    | 'new'
    | 'fill'
    | 'partial_fill'
    | 'canceled'
    | 'expired'
    | 'rejected'
    | 'pending_cancel'
    | 'pending_replace'
    | 'replaced'
  /** The order right after it happened. */
  order: VenueOrder
  /** Set exactly for fills. */
  fill: Fill | null
  /** Epoch milliseconds. */
  at: number
}
