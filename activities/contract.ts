import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { DenialCode, StatusReason, UnsentReason } from '#domain/risk/denial.ts'
import type { EntryForApproval } from '#domain/risk/entry-check.ts'
import type {
  ExitReason,
  ExitSchedule,
  ExitRule,
  ExitState,
  ExitTerms,
  ExitTrouble,
  ShownBeyond,
} from '#domain/exit/exit.ts'
import type { ExitLook, LookRequest } from '#domain/exit/look.ts'
import type { CancelMarks, ExitProgress } from '#domain/exit/progress.ts'
import type { OrderReport, OrderRequest, OrderSide, AcknowledgedEnd } from '#domain/order/order.ts'
import type { OwnedShares } from '#domain/position/ownership.ts'
import type { RestingOrder } from '#domain/exit/protection.ts'
import type { ProtectionChanged } from '#domain/exit/protection-check.ts'
import type { FreedStatus, SignalStatus, Action, Leg, SignalTerms } from '#domain/signal/signal.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import type { Failure } from '#domain/async/step-failure.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import type { Approval, Phase, ProtectionChange } from '#workflows/signal/contract.ts'
import type { OrderCancel } from '#workflows/order/contract.ts'
import type { SnapshotSchedule } from '#workflows/account/daily-balances-contract.ts'
import type { FlatByCloseLook, FlattenRound } from '#workflows/flatten/contract.ts'

export interface AccountSyncActivities {
  syncAccount(input: AccountSyncInput): Promise<AccountSyncOutcome>
  listAccountsToSync(input: { after: string | null; limit: number }): Promise<string[]>
}

/** Recorded snapshots never change. */
export interface SnapshotActivities {
  /** The day, for each broker type, that ends next or can be recorded already. */
  scheduleSnapshots(): Promise<SnapshotSchedule[]>
  /** Returns the number of recorded days. */
  fillSnapshots(input: { brokerType: string; windows: SnapshotWindow[] }): Promise<number>
  takeSnapshots(input: TakeSnapshotsInput): Promise<{ recorded: number; missing: number }>
}

export interface TakeSnapshotsInput {
  brokerType: string
  date: string
  /** UTC instant from which balances no longer belong to the day. */
  until: string
}

/** Both are safe to repeat. */
export interface FlattenActivities {
  flattenRound(input: { flattenId: string }): Promise<FlattenRound>
  beginFlatByClose(): Promise<FlatByCloseLook>
}

/** All effects of a signal's workflow; each is safe to repeat. */
export interface Activities extends OrderAttempts {
  prepareEntry(terms: SignalTerms): Promise<PreparedEntry>
  submitOrder(input: SubmitOrderInput): Promise<SubmitOrderResult>
  cancelOrder(input: CancelOrderInput): Promise<CancelOrderResult>
  sizeExit(input: SizeExitInput): Promise<SizedExit>
  scheduleExit(input: ScheduleExitInput): Promise<ExitSchedule>
  lookAtExit(input: LookAtExitInput): Promise<ExitLook>
  /** Session end (UTC) at or after the instant; with `isAfter`, of the last session that opened before it. */
  sessionEnd(input: { accountId: string; at: string; isAfter: boolean }): Promise<{ endsAt: string }>
  adjustProtection(input: AdjustProtectionInput): Promise<Adjusted>
  /** `hasEnded`: the workflow found the signal ended. */
  recordProtectionChanged(
    input: { signalId: string; at: string; hasEnded?: boolean } & ProtectionChange,
  ): Promise<ProtectionChanged>
  /** `report`: an entry's comes from the ledger, with everything that the feed received. */
  recordAccepted(input: RecordAcceptedInput): Promise<{ orderId: string; report: OrderReport }>
  recordTransmitted(input: { signalId: string; at: string; cause: string }): Promise<void>
  recordNotPlaced(input: { signalId: string; at: string } & NotPlaced): Promise<void>
  /** Cancels the signal unless its order was decided to be sent. */
  recordCancelled(input: {
    signalId: string
    at: string
    reason: UnsentReason
    detail: string
  }): Promise<Stopping>
  recordCancelRequested(input: {
    signalId: string
    at: string
    clientOrderId: string
    by: string
  }): Promise<void>
  recordClosed(input: RecordClosedInput): Promise<void>
  /** For a person it also stores the last price, if known at once. */
  recordWaiting(input: {
    signalId: string
    at: string
    for: 'time' | 'person'
    until: string | null
  }): Promise<void>
  recordDue(input: { signalId: string; at: string; approval: Approval | null }): Promise<void>
  /** Returns the decision that counts: to wait on, or an earlier one to send. */
  recordDecisionLapsed(input: {
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
  readCancelMarks(input: { clientOrderId: string }): Promise<CancelMarks>
  acknowledgeEnds(input: { signalId: string; acknowledges: AcknowledgedEnd[] }): Promise<void>
  /** Notifies the owner, once for each end, of a fill after it. */
  loadSignal(input: { signalId: string; at: string }): Promise<LoadedSignal>
}

export interface OrderAttempts {
  attemptEntry(terms: SignalTerms): Promise<OrderAttempt<PreparedEntry>>
}

export interface LoadedSignal {
  terms: SignalTerms
  /** ended: nothing is open any more. */
  phase: Exclude<Phase, 'loading' | 'sending'>
  status: SignalStatus
  orderId: string | null
  reason: StatusReason | null
  detail: string | null
  reports: { report: OrderReport; newsAt: string }[]
  exit: ExitProgress
  /** Number of ends so far. */
  closings: number
  orderCancel: OrderCancel | null
}

export type Tried<T> = { completed: true; result: T } | { completed: false; cause: string; failure: Failure }

export interface OrderAttempt<Decision> {
  check: Tried<Decision>
  submission: Tried<SubmitOrderResult> | null
  orderId: string | null
}

export interface RecordAcceptedInput {
  report: OrderReport
  advisories: Advisory[]
  acknowledges: AcknowledgedEnd[]
  progress?: ExitProgress
  resting?: NotedOrder
}

/** Order of the levels at the broker, null without one. */
export interface NotedOrder {
  order: RestingOrder | null
  revision: number
}

export interface LookAtExitInput extends LookRequest {
  signalId: string
  accountId: string
  symbol: string
  acknowledges: AcknowledgedEnd[]
  /** Its shares have no other owner, and may have grown. */
  isAdopted?: true
}

export interface AdjustProtectionInput {
  signalId: string
  accountId: string
  clientOrderId: string
  symbol: string
  quantity: Decimal
  /** Other orders held the rest of the open shares. */
  isPart: boolean
}

/** same: it fits, or has ended. other: another order has to replace it. */
export type Adjusted = 'same' | 'changed' | 'other'

/** rejected: denied by a rule, or rejected by the broker. not_placed: not sent in time, or another order has its id. */
interface NotPlaced {
  outcome: 'rejected' | 'not_placed'
  code: DenialCode
  detail: string
}

export interface RecordExitTroubleInput extends ExitTrouble {
  signalId: string
  at: string
  acknowledges: AcknowledgedEnd[]
  progress: ExitProgress
  /** UTC instants, without and with an acknowledged alert; absent while attempts continue. */
  nextTry?: { usual: string; acknowledged: string }
  /** The owner gets no alert. */
  isQuiet?: true
}

export interface SubmitOrderInput {
  accountId: string
  request: OrderRequest
  /** Null without an earlier attempt: nothing is looked up first, and a rejection counts at once. */
  unknownSince: string | null
  sendBefore: string | null
}

/**
 * accepted: `wasSentBefore` when the broker had it before the ledger permitted it. denied: by a rule of ours. conflict:
 * the broker has another order under our client order id. void: the decision no longer counts, and nothing is or will
 * be at the broker under it.
 */
export type SubmitOrderResult =
  | { outcome: 'accepted'; report: OrderReport; wasSentBefore?: true }
  | { outcome: 'void'; detail: string }
  | { outcome: 'denied' | 'rejected' | 'stale'; code: DenialCode; detail: string }
  | { outcome: 'conflict'; code: DenialCode; detail: string }

export interface Advisory {
  code: string
  message: string
}

/** not_yet: it waits for the signals `behind`, at most until `until`. held: it requires approval. */
export type PreparedEntry =
  | {
      outcome: 'ready'
      quantity: Decimal
      leg?: Leg
      /** Only for an order by hand. */
      action?: Action
      limitPrice?: Decimal
      sentAt?: string
      advisories: Advisory[]
      reservedLots?: OwnedShares[]
      sequencedAt?: string
      /** Latest end of an opening's wait for earlier signals. */
      sequencingUntil?: string
      /** Deadline of a close that our own cancels delayed. */
      sendBefore?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }
  | { outcome: 'not_yet'; behind: string[]; until: string }
  | EntryForApproval
  | EndedBefore

/** Temporal has lost the execution or task that recorded this end. No order is at the broker. */
interface EndedBefore {
  outcome: 'ended'
  status: FreedStatus
  reason: StatusReason | null
  detail: string | null
}

/** too_late: an earlier attempt whose worker crashed had decided to send the order. */
export type Stopping = 'stopped' | 'too_late'

/** filled: nothing changed, because the replaced order has filled. */
export type ReplaceResult = Stopping | { filled: OrderReport }

export interface CancelOrderInput {
  accountId: string
  brokerOrderId: string
  onlyIfUnfilled: boolean
  /** Client order id `to` is recorded before the broker is asked. */
  cancelledFor?: { signalId: string; clientOrderId: string; to: string; at: string }
}

export interface CancelOrderResult {
  report: OrderReport | null
}

export interface RecordReplacedInput {
  signalId: string
  at: string
  detail: string
  /** Client order id; null when no entry was sent, or it still works. */
  acknowledges: string | null
  /** Uncancelled order, looked up again before the record: a later fill gets its exit. */
  working: { accountId: string; brokerOrderId: string } | null
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}

export interface SizeExitInput {
  signalId: string
  /** Exits count from 1; each is sized once. */
  generation: number
  accountId: string
  symbol: string
  side: OrderSide
  filledQuantity: Decimal
  coveredQuantity: Decimal
  rule: ExitTerms
  reason: ExitReason
  failures: number
  progress: ExitProgress
  opposed?: true
  wholeFirst?: true
  /** UTC instant from which nothing is sized; only for retries. */
  until?: string | null
}

/**
 * `coversQuantity`: filled shares that need no further exit. `limitPrice`: dollars a share, to avoid an opposite order.
 * `notBefore`: the calendar has changed. `isOld`: `until` has passed.
 */
export type SizedExit =
  | {
      quantity: Decimal
      coversQuantity: Decimal
      /** Covered shares at a stored size, where they have changed. */
      coveredBefore?: Decimal
      notBefore: null
      limitPrice?: Decimal
      /** Fractional share that the auction does not take. */
      isFraction?: boolean
      /** Owner's choice; dollars a share. */
      prices?: { limitPrice: Decimal | null; stopPrice: Decimal | null }
      /** Earlier decision, where it differs. */
      order?: ExitOrderTerms
    }
  | { quantity: null; coversQuantity: null; notBefore: string }
  | { quantity: null; coversQuantity: null; notBefore: null; obstacle: string; beyond?: ShownBeyond }
  | { quantity: null; coversQuantity: null; notBefore: null; givenUp: true }
  | { quantity: null; coversQuantity: null; notBefore: null; isOld: true }

export interface ExitOrderTerms {
  reason: ExitReason
  terms: ExitTerms
}

export interface ScheduleExitInput {
  signalId: string
  accountId: string
  rule: ExitRule
  entry: OrderReport
  /** By the broker where `entry` has it, else when we received it. */
  entryEndedAt: string
  heardAt?: string
  plannedAt?: string
  scheduledFor?: string
  progress: ExitProgress
}

interface RecordClosedInput {
  at: string
  message: string
  acknowledges: AcknowledgedEnd[]
  signalId: string
  exit: (ExitState & { reason: string | null }) | null
  rejected: boolean
  unprotected: Decimal | null
  closing: number
  entryFilled: Decimal
  progress: ExitProgress
  hasLevels: boolean
  /** Another signal continues on the other side of zero. */
  isCrossed?: true
}
