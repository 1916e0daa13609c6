import type { Fill } from '../ledger/executions.ts'
import type { VenueOrder } from '../ledger/orders.ts'

/** Names of Alpaca's trade_updates. */
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
  order: VenueOrder
  fill: Fill | null
  /** Epoch milliseconds. */
  at: number
}
