import type { OrderStatus } from '#domain/order.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import type { ExitStatus } from '#domain/exit.ts'
import type { TradeSide } from '#domain/profit.ts'
import type { SignalOutcome } from '#workflows/contract.ts'
import type { Ledger } from './venue-desk.ts'

/**
 * All that is known of a run when it is over, from four places that cannot have agreed on a lie: what the senders
 * saw, the broker's ledger, the service's database, and Temporal. Instants are ISO 8601 in UTC, quantities are
 * decimal strings in shares.
 */
export interface Evidence {
  wishes: Wish[]
  attempts: Attempt[]
  withdrawals: Withdrawal[]
  ledger: Ledger
  signals: StoredSignal[]
  orders: StoredOrder[]
  /** Shares by symbol as the service shows them, negative for a short position. */
  positions: { symbol: string; quantity: string }[]
  fills: StoredFill[]
  trades: StoredTrade[]
  workflows: WorkflowEnd[]
  /** How long it took, after the last fault, until nothing moved any more. */
  drain: { tookMs: number; limitMs: number }
}

/** One thing that a sender wants to happen once, however often it is sent. */
export interface Wish {
  /** Its sourceId. */
  key: string
  symbol: string
  action: 'openLong' | 'openShort'
  quantity: string
  wantsExit: boolean
  /** No order before this instant. */
  notBefore: string | null
  /** No order after this instant. */
  notAfter: string | null
  /** No exit before this instant. */
  exitNotBefore: string | null
  /** No exit sooner than so long after the end of the entry, in milliseconds. */
  exitAfterMs: number
}

/** One request and what its sender was told; status null when no answer came. */
export interface Attempt {
  key: string
  sentAt: string
  status: number | null
  signalId: string | null
  tookMs: number
}

/** A signal that was withdrawn or declined before its order was sent, as its owner was told. */
export interface Withdrawal {
  signalId: string
  acknowledgedAt: string
}

/** A row of the table of signals. */
export interface StoredSignal {
  id: string
  sourceId: string | null
  status: SignalStatus
  statusReason: string | null
  acceptedAt: string
  /** When it was cancelled, for whatever reason; null unless it was. */
  cancelledAt: string | null
  /** It was replaced although the broker did not cancel its order, of which its owner was alerted. */
  replacedUncancelled: boolean
  filledQuantity: string
  exitStatus: ExitStatus | null
}

/** A row of the table of orders. */
export interface StoredOrder {
  clientOrderId: string
  status: OrderStatus
  filledQuantity: string
}

/** A row of the table of fills; shares, and dollars a share. */
export interface StoredFill {
  executionId: string
  quantity: string
  price: string
}

/** A row of the table of trades; shares and dollars. */
export interface StoredTrade {
  side: TradeSide
  quantity: string
  entryPrice: string
  fees: string
  /** Null while the trade is open. */
  realisedPnl: string | null
}

/** A signal's workflow; the outcome is null unless it completed. */
export interface WorkflowEnd {
  signalId: string
  status: string
  outcome: SignalOutcome | null
}
