import type { SnapshotWindow } from '#domain/balance-snapshot.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { ExitPlan, ExitRule, ExitState, ExitTrouble } from '#domain/exit.ts'
import type { ManualOrderDecision, ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderRequest, OrderSide, AcknowledgedEnd } from '#domain/order.ts'
import type { OwnedShares } from '#domain/ownership.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'
import type { Approval, ResumeState, ReopenState } from '#workflows/signal/contract.ts'
import type { SnapshotPlan } from '#workflows/accounts/daily-balances-contract.ts'

/** What syncing accounts does; a repetition copies what the broker says by then. */
export interface AccountSyncActivities {
  syncAccount(input: AccountSyncInput): Promise<AccountSyncOutcome>
  /** Ids of active accounts in their order, from behind `after`. */
  listAccountsToSync(input: { after: string | null; limit: number }): Promise<string[]>
}

/** What recording the balances with which days end does; what is recorded already stays as it is. */
export interface SnapshotActivities {
  /** For every kind of broker with active accounts, the day whose end comes next or can be recorded already. */
  planSnapshots(): Promise<SnapshotPlan[]>
  /** Records what is known of days that nobody recorded; answers how many were found, over all accounts. */
  fillSnapshots(input: { brokerType: string; windows: SnapshotWindow[] }): Promise<number>
  /** Of how many active accounts the balances are recorded, and of how many they could not be in time. */
  takeSnapshots(input: TakeSnapshotsInput): Promise<{ recorded: number; missing: number }>
}

export interface TakeSnapshotsInput {
  brokerType: string
  /** Day of the exchange, YYYY-MM-DD. */
  date: string
  /** UTC instant from which on balances are not those of the day any more. */
  until: string
}

/** Every effect the workflow of a signal may have. All are safe to repeat; each says what a repetition finds. */
export interface Activities {
  prepareEntry(terms: SignalTerms): Promise<PreparedEntry>
  submitOrder(input: SubmitOrderInput): Promise<SubmitOrderResult>
  cancelOrder(input: CancelOrderInput): Promise<CancelOrderResult>
  sizeExit(input: SizeExitInput): Promise<SizedExit>
  planExit(input: PlanExitInput): Promise<ExitPlan>
  recordEntryAccepted(input: {
    signalId: string
    report: OrderReport
    advisories: Advisory[]
  }): Promise<{ orderId: string }>
  /** For a person: also keeps the last price of that moment, if it can be told at once. */
  recordWaiting(input: {
    signalId: string
    at: string
    for: 'time' | 'person'
    until: string | null
  }): Promise<void>
  recordDue(input: { signalId: string; at: string; approval: Approval | null }): Promise<void>
  recordDeclined(input: {
    signalId: string
    at: string
    by: string
    reason: string | null
  }): Promise<Stopping>
  recordCancelled(input: {
    signalId: string
    at: string
    reason: 'WITHDRAWN' | 'EXPIRED'
    detail: string
    acknowledges: string | null
  }): Promise<Stopping>
  recordReplaced(input: RecordReplacedInput): Promise<ReplaceResult>
  recordExitCancelled(input: {
    signalId: string
    at: string
    by: string
    generation: number
  }): Promise<Stopping>
  recordTransmitted(input: { signalId: string; at: string; cause: string }): Promise<void>
  recordNotPlaced(input: {
    signalId: string
    at: string
    status: 'rejected' | 'error'
    code: DenialCode
    detail: string
  }): Promise<void>
  recordExitAccepted(input: {
    signalId: string
    report: OrderReport
    /** The orders whose ends the signal has taken note of. */
    acknowledges: AcknowledgedEnd[]
  }): Promise<{ orderId: string }>
  recordExitTrouble(input: RecordExitTroubleInput): Promise<{ acknowledged: boolean }>
  recordCancelRequested(input: {
    signalId: string
    at: string
    clientOrderId: string
    by: string
  }): Promise<void>
  /** For which order one of the signal's was cancelled, by its client order id; null when it was for none. */
  readCancelledFor(input: { clientOrderId: string }): Promise<string | null>
  /** The workflow knows how much these orders have filled. */
  acknowledgeEnds(input: { signalId: string; acknowledges: AcknowledgedEnd[] }): Promise<void>
  recordClosed(input: RecordClosedInput): Promise<void>
  /**
   * With what a signal goes on that had ended, for the run that asks first; null when another run has taken that up.
   */
  reopenSignal(input: { signalId: string; at: string; by: string }): Promise<ResumeState | null>

  /** Decides, once, whether a manual order may be sent, what it does to the position, and how large it is. */
  prepareManualOrder(terms: ManualOrderTerms): Promise<ManualOrderDecision>
  recordManualOrderAccepted(input: { accountId: string; report: OrderReport }): Promise<void>
  recordManualOrderTransmitted(input: { orderId: string; at: string; cause: string }): Promise<void>
  recordManualOrderNotPlaced(input: {
    orderId: string
    at: string
    /** not_placed: not sent in time, or another order has its id. */
    outcome: 'rejected' | 'not_placed'
    code: DenialCode
    detail: string
  }): Promise<void>
  recordManualOrderCancelled(input: { orderId: string; at: string; by: string }): Promise<Stopping>
  recordManualOrderCancelRequested(input: {
    orderId: string
    at: string
    clientOrderId: string
    by: string
  }): Promise<void>
  recordManualOrderClosed(input: {
    orderId: string
    at: string
    acknowledges: AcknowledgedEnd
    message: string
  }): Promise<void>
}

export interface RecordExitTroubleInput extends ExitTrouble {
  signalId: string
  at: string
  acknowledges: AcknowledgedEnd[]
  /** When it is tried again, by whether a person has said that they know; absent while it goes on being tried. */
  nextTry?: { usual: string; acknowledged: string }
}

export interface SubmitOrderInput {
  accountId: string
  request: OrderRequest
  /**
   * The instant of the first attempt whose outcome is not known; null only when there can have been none. With
   * null nothing is looked up before the sending, and a refusal is believed at once.
   */
  unknownSince: string | null
  /** Past this instant the order is not sent any more; null for an order that is never too old. */
  sendBefore: string | null
}

/**
 * accepted: the broker has the order. refused: it has not and will not. conflict: the broker has another
 * order under our client order id. stale: not sent, because it is too old by now.
 */
export type SubmitOrderResult =
  | { outcome: 'accepted'; report: OrderReport }
  | { outcome: 'rejected' | 'conflict' | 'stale'; code: DenialCode; detail: string }

/** Something the owner should know of, though nothing is wrong. */
export interface Advisory {
  code: string
  message: string
}

/**
 * ready: the entry may be sent, for this many shares; `sequencedAt` is the UTC instant at which earlier signals had made
 * way, if it had to wait for any. denied: it may not. not_yet: earlier signals, named here, come first, and it waits for
 * them until that UTC instant at most.
 */
export type PreparedEntry =
  | {
      outcome: 'ready'
      quantity: Decimal
      advisories: Advisory[]
      /** Whose shares the order is to take from the position that it closes. */
      takes?: OwnedShares[]
      sequencedAt?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }
  | { outcome: 'not_yet'; behind: string[]; until: string }

/**
 * stopped: in the ledger, and from now on nothing is decided any more that would send the order. too_late: an
 * earlier try of the same moment, whose worker was lost, had decided to send it.
 */
export type Stopping = 'stopped' | 'too_late'

/** As {@link Stopping}; or nothing was changed, because the order that was to give way has filled. */
export type ReplaceResult = Stopping | { filled: OrderReport }

export interface CancelOrderInput {
  accountId: string
  brokerOrderId: string
  /** Leaves an order alone of which anything has filled. */
  onlyIfUnfilled: boolean
}

/** The broker's report of the order after it was asked to cancel it; the order may still be working. */
export interface CancelOrderResult {
  report: OrderReport | null
}

export interface RecordReplacedInput {
  signalId: string
  at: string
  detail: string
  /** Client order id of the entry that was cancelled for it; null when none was sent, or it still works. */
  acknowledges: string | null
  /**
   * The entry that the broker has not cancelled yet; null when none is left. It is looked at once more right before the
   * record: should it fill afterwards, it gets its exit.
   */
  working: { accountId: string; brokerOrderId: string } | null
  /** The new signal as the ledger stores it, and the first entry of its timeline. */
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}

export interface SizeExitInput {
  signalId: string
  /** Counts the exits that were sized for the signal, from 1; each is sized once. */
  generation: number
  accountId: string
  symbol: string
  /** The side of the exit: SELL takes from a long position, BUY_TO_COVER from a short one. */
  side: OrderSide
  /** Shares that the entry has filled. */
  filledQuantity: Decimal
  rule: ExitRule
  /** Tries of the exit that came to nothing before this one. */
  failures: number
}

/**
 * Shares to close now, and of how many filled ones they are all that is left to close, with the limit in dollars a
 * share at which an exit at market is to be sent because of an order on the other side; or the UTC instant before which
 * the exit cannot be sent, because the calendar has changed; or what keeps it from being sent, in words.
 */
export type SizedExit =
  | { quantity: Decimal; coversQuantity: Decimal; notBefore: null; limitPrice?: Decimal }
  | { quantity: null; coversQuantity: null; notBefore: string }
  | { quantity: null; coversQuantity: null; notBefore: null; obstacle: string }

export interface PlanExitInput {
  signalId: string
  accountId: string
  rule: ExitRule
  entry: OrderReport
  /** UTC instant at which the entry reached its terminal state. */
  entryEndedAt: string
  /** Of the exit that is planned; counts from 1. */
  generation: number
}

export interface RecordClosedInput {
  signalId: string
  at: string
  message: string
  /** The orders whose ends the signal has taken note of. */
  acknowledges: AcknowledgedEnd[]
  exit: (ExitState & { reason: string | null }) | null
  /** Set when the broker rejected the entry after accepting it. */
  rejected: boolean
  /** Shares that were to be closed and have no exit; null when there are none. */
  unprotected: Decimal | null
  /** How often the signal has ended by now. */
  closing: number
  /** With what it goes on if a fill comes all the same. */
  reopenState: ReopenState
}
