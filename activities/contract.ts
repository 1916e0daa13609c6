import type { SnapshotWindow } from '#domain/balance-snapshot.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode, StatusReason, UnsentReason } from '#domain/denial.ts'
import type { HeldEntry } from '#domain/entry-check.ts'
import type {
  ExitFor,
  ExitPlan,
  ExitRule,
  ExitState,
  ExitTerms,
  ExitTrouble,
  ShownBeyond,
} from '#domain/exit.ts'
import type { CancelMarks, ExitProgress } from '#domain/exit-progress.ts'
import type { ManualOrderDecision, ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderOwner, OrderReport, OrderRequest, OrderSide, AcknowledgedEnd } from '#domain/order.ts'
import type { OwnedShares } from '#domain/ownership.ts'
import type { CrossedLevel, Protection, RestingOrder } from '#domain/protection.ts'
import type { FreedStatus } from '#domain/signal-status.ts'
import type { Leg, SignalTerms } from '#domain/signal.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { Failure } from '#domain/step-failure.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/accounts/sync-contract.ts'
import type { Approval, ResumeState, ReopenState } from '#workflows/signal/contract.ts'
import type { SnapshotPlan } from '#workflows/accounts/daily-balances-contract.ts'
import type { FlatByCloseLook, FlattenRound } from '#workflows/flatten/contract.ts'

/** The activities of account syncs; a repetition copies the broker's state of that time. */
export interface AccountSyncActivities {
  syncAccount(input: AccountSyncInput): Promise<AccountSyncOutcome>
  /** Ids of active accounts in their order, from behind `after`. */
  listAccountsToSync(input: { after: string | null; limit: number }): Promise<string[]>
}

/** The activities of daily balance snapshots; recorded ones stay as they are. */
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

/** The activities of closing everything; a repetition finds what was done before. */
export interface FlattenActivities {
  flattenRound(input: { flattenId: string }): Promise<FlattenRound>
  beginFlatByClose(): Promise<FlatByCloseLook>
}

/** Every effect of a signal's workflow. All are safe to repeat. */
export interface Activities extends OrderAttempts {
  prepareEntry(terms: SignalTerms): Promise<PreparedEntry>
  submitOrder(input: SubmitOrderInput): Promise<SubmitOrderResult>
  cancelOrder(input: CancelOrderInput): Promise<CancelOrderResult>
  sizeExit(input: SizeExitInput): Promise<SizedExit>
  planExit(input: PlanExitInput): Promise<ExitPlan>
  /** The order that an exit plan wants to be at the broker now, while none of its signal is; null for none. */
  planProtection(input: PlanProtectionInput): Promise<{ order: ExitTerms | null }>
  /** The level of the plan, as it is by now, that the price has reached and nothing at the broker acts upon; null for none. */
  judgeLevel(input: { signalId: string; crossed: CrossedLevel }): Promise<CrossedLevel['level'] | null>
  /** Has the order of a plan that works at the broker be as the plan wants it by now, if it can be changed so. */
  adjustProtection(input: AdjustProtectionInput): Promise<Adjusted>
  /** Why no exit can be sent now, in words, while all trading is stopped; null while it is not. */
  readHalt(input: { accountId: string }): Promise<{ detail: string | null }>
  /** Another exit plan from now on, or none, as somebody wants it. */
  recordProtectionChanged(input: {
    signalId: string
    at: string
    by: string
    protection: Protection | null
  }): Promise<void>
  /** The broker has the order, whoever asked for it. Tells our id of it. */
  recordAccepted(input: RecordAcceptedInput): Promise<{ orderId: string }>
  /** The order was sent and its outcome is unknown. */
  recordTransmitted(input: OrderOwner & { at: string; cause: string }): Promise<void>
  /** No order was placed, and none will be. */
  recordNotPlaced(input: OrderOwner & { at: string } & NotPlaced): Promise<void>
  /** Ends what was not sent, unless it was decided to send it. STALE: a signal that could not be checked in time. */
  recordCancelled(input: OrderOwner & { at: string; reason: UnsentReason; detail: string }): Promise<Stopping>
  /** A person wants an order cancelled that works at the broker. */
  recordCancelRequested(input: OrderOwner & { at: string; clientOrderId: string; by: string }): Promise<void>
  recordClosed(input: RecordClosedInput): Promise<void>
  /** For a person: also keeps the last price of that moment, if it can be told at once. */
  recordWaiting(input: {
    signalId: string
    at: string
    for: 'time' | 'person'
    until: string | null
  }): Promise<void>
  recordDue(input: { signalId: string; at: string; approval: Approval | null }): Promise<void>
  /** An approval could not be acted upon in time. Tells the decision that counts: that it waits on, or an earlier one to send it. */
  recordNotTaken(input: {
    signalId: string
    at: string
    detail: string
    validUntil: string | null
  }): Promise<PreparedEntry>
  recordDeclined(input: {
    signalId: string
    at: string
    by: string
    reason: string | null
  }): Promise<Stopping>
  recordReplaced(input: RecordReplacedInput): Promise<ReplaceResult>
  recordExitCancelled(input: {
    signalId: string
    at: string
    by: string
    generation: number
  }): Promise<Stopping>
  recordExitTrouble(input: RecordExitTroubleInput): Promise<{ acknowledged: boolean }>
  /** Why an order of the signal was to be cancelled. */
  readCancelMarks(input: { clientOrderId: string }): Promise<CancelMarks>
  /** The workflow knows how much these orders have filled. */
  acknowledgeEnds(input: { signalId: string; acknowledges: AcknowledgedEnd[] }): Promise<void>
  /**
   * State to reopen an ended signal, for the first run that asks; null when another run has got it.
   */
  reopenSignal(input: { signalId: string; at: string; by: string }): Promise<ResumeState | null>

  /** Decides, once, whether a manual order may be sent, what it does to the position, and how large it is. */
  prepareManualOrder(terms: ManualOrderTerms): Promise<ManualOrderDecision | EndedBefore>
}

/** The way of an order from its check to its record, in one attempt as far as that gets; see `attempt.ts`. */
export interface OrderAttempts {
  /** @param isBegun for the workflow to take, by the process that has started it */
  attemptEntry(terms: SignalTerms, isBegun?: boolean): Promise<OrderAttempt<PreparedEntry>>
  attemptManualOrder(terms: ManualOrderTerms): Promise<OrderAttempt<ManualOrderDecision | EndedBefore>>
}

/** Outcome of one attempt of a step: its result, or why there is none yet. */
export type Tried<T> = { completed: true; result: T } | { completed: false; cause: string; failure: Failure }

/** How far an attempt came with an order. Whatever it did not complete goes on step by step. */
export interface OrderAttempt<Decision> {
  /** The decision, which is in the ledger. */
  check: Tried<Decision>
  /** The outcome of sending the order; null when it was not tried. */
  submission: Tried<SubmitOrderResult> | null
  /** Our id of the order, once its acceptance is in the ledger. */
  orderId: string | null
  /**
   * The end of the order with which the signal has ended, once that is in the ledger too. Absent where the workflow has to
   * record it.
   */
  ended?: AcknowledgedEnd
}

export interface RecordAcceptedInput {
  accountId: string
  report: OrderReport
  advisories: Advisory[]
  /** The orders whose ends the workflow has taken note of. */
  acknowledges: AcknowledgedEnd[]
  /** How far the exit has come with that; absent for an order that is no exit. */
  progress?: ExitProgress
  /** The part of an exit plan that lies at the broker with that; absent for a signal without a plan. */
  resting?: RestingOrder | null
}

export interface PlanProtectionInput {
  signalId: string
  accountId: string
  symbol: string
  /** What the order is to be for. */
  isFor: ExitFor
  /** Shares that are to be closed. */
  quantity: Decimal
}

export interface AdjustProtectionInput {
  signalId: string
  accountId: string
  clientOrderId: string
  symbol: string
  /** Shares of the order. */
  quantity: Decimal
  /** It is for a part of the open shares only, because other orders held the rest. */
  isPart: boolean
  /** The plan was changed, so that the stop may be farther from the price than before. */
  mayLoosen: boolean
}

/** same: it is as it is to be, or has ended. changed. other: another order has to take its place. */
export type Adjusted = 'same' | 'changed' | 'other'

/** Why no order was placed. rejected: denied by a rule, or rejected by the broker. not_placed: not sent in time, or another order has its id. */
export interface NotPlaced {
  outcome: 'rejected' | 'not_placed'
  code: DenialCode
  detail: string
}

export interface RecordExitTroubleInput extends ExitTrouble {
  signalId: string
  at: string
  acknowledges: AcknowledgedEnd[]
  /** How far the exit has come with that. */
  progress: ExitProgress
  /** Time of the next attempt, with the alert acknowledged or not; absent while attempts go on. */
  nextTry?: { usual: string; acknowledged: string }
  /**
   * No alert is raised: the next order goes round the order that stood against this one, at once; or the order of an exit plan waits
   * for the exchange to open, as a matter of course.
   */
  isQuiet?: true
}

export interface SubmitOrderInput {
  accountId: string
  request: OrderRequest
  /**
   * Time of the first attempt with an unknown outcome; null only when there was none. With null nothing is looked up before
   * the order is sent, and a rejection counts at once.
   */
  unknownSince: string | null
  /** Past this instant the order is not sent any more; null for an order that is never too old. */
  sendBefore: string | null
}

/**
 * accepted: the broker has the order; `wasSentBefore` when it had it before the ledger let anybody out to send it. denied: one of our rules forbids to send it. rejected: the broker does not and will not
 * have it. conflict: the broker has another order
 * under our client order id. stale: not sent, because it is too old by now. void: its decision does not stand any more, nothing is
 * at the broker under it, and nothing will be: it is decided on, or sized, anew.
 */
export type SubmitOrderResult =
  | { outcome: 'accepted'; report: OrderReport; wasSentBefore?: true }
  | { outcome: 'void'; detail: string }
  | { outcome: 'denied' | 'rejected' | 'stale'; code: DenialCode; detail: string }
  | { outcome: 'conflict'; code: DenialCode; detail: string }

/** Advice for the owner; nothing is wrong. */
export interface Advisory {
  code: string
  message: string
}

/**
 * ready: the entry may be sent, for this many shares; `sequencedAt` is the UTC instant at which earlier signals had made
 * way, if it had to wait for any. denied: it may not. not_yet: earlier signals, named here, come first, and it waits for
 * them until that UTC instant at most. held: the signal is pending and waits for a person, by a rule of its owner.
 */
export type PreparedEntry =
  | {
      outcome: 'ready'
      quantity: Decimal
      /** The part of a target that an order trades, in the place of the one that was known before. */
      leg?: Leg
      /** Dollars a share, of an order that was sent before at another limit than that of the signal. */
      limitPrice?: Decimal
      /** When its broker got it, where it was sent before; UTC instant. */
      sentAt?: string
      advisories: Advisory[]
      /** Owners of the shares that the order takes from the position that it closes. */
      takes?: OwnedShares[]
      sequencedAt?: string
      /** Until when an opening was to wait for its turn; it is not sent after that. */
      sequencingUntil?: string
      /** Until when a close may be sent that our own cancels have made late; UTC instant. */
      sendBefore?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }
  | { outcome: 'not_yet'; behind: string[]; until: string }
  | HeldEntry
  | EndedBefore

/**
 * The ledger has the end already, of which the workflow knows nothing: it was recorded by an execution that Temporal has lost,
 * or in a workflow task that was lost. No order is at the broker.
 */
export interface EndedBefore {
  outcome: 'ended'
  /** Of a signal; a manual order ends by its own statuses CANCELLED or REJECTED. */
  status: FreedStatus
  /** Null where there is none, and of a manual order that ended with another. */
  reason: StatusReason | null
  detail: string | null
}

/**
 * stopped: recorded, and from now on no decision can send the order. too_late: an earlier attempt, whose worker crashed,
 * had decided to send it.
 */
export type Stopping = 'stopped' | 'too_late'

/** As {@link Stopping}; or nothing was changed, because the order of the replaced signal has filled. */
export type ReplaceResult = Stopping | { filled: OrderReport }

export interface CancelOrderInput {
  accountId: string
  brokerOrderId: string
  /** Does not cancel an order that has a fill. */
  onlyIfUnfilled: boolean
  /** The order that it gives way to, by its client order id, which is written down before the broker is asked. */
  givesWay?: { signalId: string; clientOrderId: string; to: string; at: string }
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
  /** Shares that the entry has filled and that need an exit. */
  filledQuantity: Decimal
  /** Shares that it has filled beside, which need no further exit. */
  coveredQuantity: Decimal
  rule: ExitTerms
  /** What the order is for; absent for a signal without an exit plan. */
  isFor?: ExitFor
  /** Failed attempts of the exit before this one. */
  failures: number
  /** The broker has refused the exit because of an order on the other side that was not placed here. */
  opposed?: true
  /** The broker has not sold the part of a share that leaves before the auction: the whole shares leave first. */
  wholeFirst?: true
}

/**
 * Shares to close now, and of how many filled ones they are all that is left to close, with the limit in dollars a
 * share at which an exit at market is to be sent because of an order on the other side; or the UTC instant before which
 * the exit cannot be sent, because the calendar has changed; or what keeps it from being sent, in words; or that this exit was
 * sized and given up before.
 */
export type SizedExit =
  | {
      quantity: Decimal
      coversQuantity: Decimal
      /** The covered shares that it was worked out from, where it was kept before and they are others now. */
      coveredBefore?: Decimal
      notBefore: null
      limitPrice?: Decimal
      /** The part of a share that the auction does not take: it is sent at market. Absent for any other exit. */
      isFraction?: boolean
      /** In the place of those of the rule, as the owner has chosen; dollars a share. */
      prices?: { limitPrice: Decimal | null; stopPrice: Decimal | null }
      /** As it was decided before, where that was for something else, or by other terms. */
      order?: ExitOrderTerms
    }
  | { quantity: null; coversQuantity: null; notBefore: string }
  | { quantity: null; coversQuantity: null; notBefore: null; obstacle: string; beyond?: ShownBeyond }
  | { quantity: null; coversQuantity: null; notBefore: null; givenUp: true }

/** What an exit order is for, and how it trades. */
export interface ExitOrderTerms {
  isFor: ExitFor
  terms: ExitTerms
}

export interface PlanExitInput {
  signalId: string
  accountId: string
  rule: ExitRule
  entry: OrderReport
  /** UTC instant at which the entry reached its terminal state: that of `entry`, by the broker, or when it was heard of, by us. */
  entryEndedAt: string
  /** When the workflow heard of the entry's end, by our clock, UTC. */
  heardAt?: string
  /** When the workflow plans it again, UTC; absent when it is planned for the first time, at the end of its entry. */
  plannedAt?: string
  /** The instant for which the exit is planned already, UTC by our clock; absent when it is planned for the first time. */
  plannedFor?: string
  /** How far the exit has come. */
  progress: ExitProgress
}

/** The story is over. */
type RecordClosedInput = OrderEnd &
  (SignalEnd | ({ orderId: string } & { [K in Exclude<keyof SignalEnd, 'orderId'>]?: undefined }))

interface OrderEnd {
  at: string
  message: string
  /** The orders whose ends the workflow has taken note of. */
  acknowledges: AcknowledgedEnd[]
}

/** As {@link RecordClosedInput}, of a signal. */
export type SignalEndInput = OrderEnd & SignalEnd

/** Further news with the end of a signal. */
interface SignalEnd {
  signalId: string
  orderId?: undefined
  exit: (ExitState & { reason: string | null }) | null
  /** Set when the broker rejected the entry after accepting it. */
  rejected: boolean
  /** Shares that were to be closed and have no exit; null when there are none. */
  unprotected: Decimal | null
  /** How many times the signal has ended by now. */
  closing: number
  /** State to reopen it after a late fill. */
  reopenState: ReopenState
  /** The signal has closed the position, and another signal goes on to its target on the other side of zero. */
  isCrossed?: true
}
