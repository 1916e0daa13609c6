import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { ExitPlan, ExitRule, ExitStatus } from '#domain/exit.ts'
import type { OrderReport, OrderRequest, OrderSide } from '#domain/order.ts'

/** Every effect a workflow may have. All are safe to repeat; each says what a repetition finds. */
export interface Activities {
  submitOrder(input: SubmitOrderInput): Promise<SubmitOrderResult>
  sizeExit(input: SizeExitInput): Promise<{ quantity: Decimal }>
  planExit(input: PlanExitInput): Promise<ExitPlan>
  recordEntryAccepted(input: { signalId: string; report: OrderReport }): Promise<{ orderId: string }>
  recordTransmitted(input: { signalId: string; at: string; cause: string }): Promise<void>
  recordNotPlaced(input: {
    signalId: string
    at: string
    status: 'rejected' | 'error'
    code: DenialCode
    detail: string
  }): Promise<void>
  recordExitAccepted(input: { signalId: string; report: OrderReport }): Promise<{ orderId: string }>
  recordExitTrouble(input: {
    signalId: string
    at: string
    generation: number
    kind: 'unknown' | 'refused'
    code: DenialCode
    detail: string
  }): Promise<void>
  recordClosed(input: RecordClosedInput): Promise<void>
}

export interface SubmitOrderInput {
  accountId: string
  request: OrderRequest
  /**
   * The instant of the first attempt whose outcome is not known, null when there was none. Decides whether
   * a look-up comes before the sending, and how long a refusal is doubted.
   */
  unknownSince: string | null
  /** Past this instant the order is not sent any more; null for an order that is never too old. */
  notAfter: string | null
}

/**
 * accepted: the broker has the order. refused: it has not and will not. conflict: the broker has another
 * order under our client order id. stale: not sent, because it is too old by now.
 */
export type SubmitOrderResult =
  | { outcome: 'accepted'; report: OrderReport }
  | { outcome: 'refused' | 'conflict' | 'stale'; code: DenialCode; detail: string }

export interface SizeExitInput {
  accountId: string
  symbol: string
  /** The side of the exit: SELL takes from a long position, BUY_TO_COVER from a short one. */
  side: OrderSide
  /** Shares that the entry has filled. */
  filledQuantity: Decimal
  /** UTC instant; shortly after it the broker's positions may not show the fill yet. */
  entryEndedAt: string
}

export interface PlanExitInput {
  signalId: string
  accountId: string
  rule: ExitRule
  entry: OrderReport
  /** UTC instant at which the entry reached its terminal state. */
  entryEndedAt: string
}

export interface RecordClosedInput {
  signalId: string
  at: string
  message: string
  /** Client order id of the order whose end closed the signal. */
  settles: string
  exit: { status: ExitStatus; reason: string | null } | null
  /** Set when the broker rejected the entry after accepting it. */
  rejected: boolean
}
