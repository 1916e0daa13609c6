import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import type { Decimal } from '#domain/common/decimal.ts'
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
import type { Failure } from '#domain/common/step-failure.ts'
import type { AccountSyncInput, AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import type { Approval, Phase, ProtectionChange } from '#workflows/signal/contract.ts'
import type { OrderCancel } from '#workflows/order/contract.ts'
import type { SnapshotSchedule } from '#workflows/account/daily-balances-contract.ts'
import type { FlatByCloseLook, FlattenRound } from '#workflows/flatten/contract.ts'

/** A repetition copies the broker's state of that time. */
export interface AccountSyncActivities {
  syncAccount(input: AccountSyncInput): Promise<AccountSyncOutcome>
  listAccountsToSync(input: { after: string | null; limit: number }): Promise<string[]>
}

/** Recorded snapshots stay as they are. */
export interface SnapshotActivities {
  /** For every broker type with active accounts the day whose end comes next or can be recorded already. */
  scheduleSnapshots(): Promise<SnapshotSchedule[]>
  /** Returns the number of recorded days, over all accounts. */
  fillSnapshots(input: { brokerType: string; windows: SnapshotWindow[] }): Promise<number>
  /** Active accounts with recorded balances, and those that were too late. */
  takeSnapshots(input: TakeSnapshotsInput): Promise<{ recorded: number; missing: number }>
}

export interface TakeSnapshotsInput {
  brokerType: string
  date: string
  /** From then on balances are not those of the day any more. */
  until: string
}

/** A repetition finds what was done before. */
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
  scheduleExit(input: ScheduleExitInput): Promise<ExitSchedule>
  lookAtExit(input: LookAtExitInput): Promise<ExitLook>
  /** The end of the session at that instant, or of the next one, where it `isAfter` something in a session the last one; UTC. */
  sessionEnd(input: { accountId: string; at: string; isAfter: boolean }): Promise<{ endsAt: string }>
  /** Changes the working order of a plan to the present plan, if it can be changed so. */
  adjustProtection(input: AdjustProtectionInput): Promise<Adjusted>
  /** Merges it with the plan of the ledger. `isOver`: the workflow has found the signal ended. */
  recordProtectionChanged(
    input: { signalId: string; at: string; isOver?: boolean } & ProtectionChange,
  ): Promise<ProtectionChanged>
  /** `report`: an entry as the ledger has it then, with all that the feed has heard of it. */
  recordAccepted(input: RecordAcceptedInput): Promise<{ orderId: string; report: OrderReport }>
  recordTransmitted(input: { signalId: string; at: string; cause: string }): Promise<void>
  recordNotPlaced(input: { signalId: string; at: string } & NotPlaced): Promise<void>
  /** Unless it was decided to send it. STALE: it could not be checked in time. */
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
  /** For a person: also keeps the present last price, if it is known at once. */
  recordWaiting(input: {
    signalId: string
    at: string
    for: 'time' | 'person'
    until: string | null
  }): Promise<void>
  recordDue(input: { signalId: string; at: string; approval: Approval | null }): Promise<void>
  /** An approval came to nothing in time. Returns the decision that counts: to wait on, or an earlier one to send. */
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
  /** For a run that goes on. Notifies the owner, once for each end, of the fill after it. */
  loadSignal(input: { signalId: string; at: string }): Promise<LoadedSignal>
}

export interface OrderAttempts {
  attemptEntry(terms: SignalTerms): Promise<OrderAttempt<PreparedEntry>>
}

/** The state of a signal's workflow, made from the ledger. */
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
  /** How often the signal has ended. */
  closings: number
  orderCancel: OrderCancel | null
}

export type Tried<T> = { completed: true; result: T } | { completed: false; cause: string; failure: Failure }

/** Whatever an attempt did not complete goes on step by step. */
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

/** The order of the levels at the broker, null for none, and the revision of the levels that it is of. */
export interface NotedOrder {
  order: RestingOrder | null
  revision: number
}

export interface LookAtExitInput extends LookRequest {
  signalId: string
  accountId: string
  symbol: string
  acknowledges: AcknowledgedEnd[]
  /** Its entry is what nobody else owns: it may have grown. */
  isAdopted?: true
}

export interface AdjustProtectionInput {
  signalId: string
  accountId: string
  clientOrderId: string
  symbol: string
  quantity: Decimal
  /** It is for a part of the open shares only, because other orders held the rest. */
  isPart: boolean
}

/** same: as needed, or ended. other: another order has to replace it. */
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
  /** Of the next attempt, with the alert acknowledged or not; absent while attempts go on. */
  nextTry?: { usual: string; acknowledged: string }
  /** No alert: the next order avoids the opposite one at once, or waits for the exchange to open. */
  isQuiet?: true
}

export interface SubmitOrderInput {
  accountId: string
  request: OrderRequest
  /** Null: no earlier attempt, so nothing is looked up before the sending, and a rejection counts at once. */
  unknownSince: string | null
  sendBefore: string | null
}

/**
 * accepted: `wasSentBefore` when the broker had it before the ledger permitted it. denied: by a rule of ours.
 * rejected: by the broker, for good. conflict: the broker has another order under our client order id. stale:
 * too old to be sent. void: its decision does not count any more, and nothing is or will be at the broker under
 * it.
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

/** not_yet: it waits for the signals `behind`, until `until` at most. held: it requires approval. */
export type PreparedEntry =
  | {
      outcome: 'ready'
      quantity: Decimal
      leg?: Leg
      /** Of an order by hand. */
      action?: Action
      limitPrice?: Decimal
      sentAt?: string
      advisories: Advisory[]
      takes?: OwnedShares[]
      sequencedAt?: string
      /** The latest end of an opening's wait for earlier signals. */
      sequencingUntil?: string
      /** Of a close that our own cancels have made late. */
      sendBefore?: string
    }
  | { outcome: 'denied'; code: DenialCode; detail: string }
  | { outcome: 'not_yet'; behind: string[]; until: string }
  | EntryForApproval
  | EndedBefore

/** Recorded by an execution or a workflow task that Temporal has lost. No order is at the broker. */
interface EndedBefore {
  outcome: 'ended'
  status: FreedStatus
  reason: StatusReason | null
  detail: string | null
}

/** too_late: an earlier attempt, whose worker crashed, had decided to send it. */
export type Stopping = 'stopped' | 'too_late'

/** `filled`: nothing was changed, because the order of the replaced signal has filled. */
export type ReplaceResult = Stopping | { filled: OrderReport }

export interface CancelOrderInput {
  accountId: string
  brokerOrderId: string
  onlyIfUnfilled: boolean
  /** The order that it gives way to (`to`, a client order id), recorded before the broker is asked. */
  givesWay?: { signalId: string; clientOrderId: string; to: string; at: string }
}

export interface CancelOrderResult {
  report: OrderReport | null
}

export interface RecordReplacedInput {
  signalId: string
  at: string
  detail: string
  /** Client order id of the cancelled entry; null when none was sent, or it still works. */
  acknowledges: string | null
  /** Not cancelled yet, and looked up once more before the record: a later fill gets its exit. */
  working: { accountId: string; brokerOrderId: string } | null
  /** The row as stored, and the first entry of its timeline. */
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}

export interface SizeExitInput {
  signalId: string
  /** Counts the sized exits of the signal, from 1; each is sized once. */
  generation: number
  accountId: string
  symbol: string
  /** SELL takes from a long position, BUY_TO_COVER from a short one. */
  side: OrderSide
  filledQuantity: Decimal
  coveredQuantity: Decimal
  rule: ExitTerms
  reason: ExitReason
  failures: number
  /** Stored with the size. */
  progress: ExitProgress
  /** The broker has rejected the exit because of an opposite order from elsewhere. */
  opposed?: true
  /** The broker has not sold the part of a share before the auction: the whole shares leave first. */
  wholeFirst?: true
  /** Not sized from then on, because another exit may be wanted; UTC instant. Of tries after the first. */
  until?: string | null
}

/**
 * `coversQuantity`: filled shares that need no further exit with it. `limitPrice`: dollars a share of a market
 * exit that has to avoid an opposite order. `notBefore`: the calendar has changed. `obstacle`: in words.
 * `givenUp`: this exit was sized and given up before. `isOld`: `until` has come.
 */
export type SizedExit =
  | {
      quantity: Decimal
      coversQuantity: Decimal
      /** The covered shares of a kept size, where they are others now. */
      coveredBefore?: Decimal
      notBefore: null
      limitPrice?: Decimal
      /** The part of a share that the auction does not take: it is sent at market. */
      isFraction?: boolean
      /** The owner's choice in place of the rule's; dollars a share. */
      prices?: { limitPrice: Decimal | null; stopPrice: Decimal | null }
      /** As decided before, where that was for something else, or by other terms. */
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
  /** By the broker where `entry` has it, else when we heard of it. */
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
  /** From which another exit goes on after a late fill. */
  progress: ExitProgress
  hasLevels: boolean
  /** Another signal goes on to its target on the other side of zero. */
  isCrossed?: true
}
