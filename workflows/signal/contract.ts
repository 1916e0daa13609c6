import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import type { ExitProgress } from '#domain/exit-progress.ts'
import type { OrderReport } from '#domain/order.ts'
import type { CrossedLevel, Protection } from '#domain/protection.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { StatusReason } from '#domain/denial.ts'
import { ORDER_NOT_CANCELLABLE, type OrderCancel } from '../order/contract.ts'

/**
 * What the outside knows of the signal workflow: its input, its messages and their shapes. Temporal's signals
 * and updates are called messages here, because "signal" is the trading signal. Those that tell of single orders are
 * in `order/contract.ts`.
 */

/** The one argument of the workflow. */
export interface SignalInput {
  terms: SignalTerms
  /** State of the previous run, when the workflow continued as new because its history had grown long. */
  resumeState?: ResumeState
  /** Set when the feed reopens a signal that had ended, because of a late fill. */
  reopens?: true
  /** The task queue in which the signal goes on while its entry rests, or its exit waits; absent where it stays in its own. */
  thenQueue?: string
}

/**
 * Phase of the workflow. waiting: for the scheduled time or a person. checking: earlier signals of the symbol, then the
 * pre-trade checks. sending: the entry order is on its way. working: it is at the broker. awaitingExit: the exit is not
 * due yet. exiting: the exit order. ended.
 */
export type Phase = 'waiting' | 'checking' | 'sending' | 'working' | 'awaitingExit' | 'exiting' | 'ended'

/** Everything that a new run needs after continue-as-new. */
export interface ResumeState {
  phase: Phase
  status: SignalStatus
  orderId: string | null
  reason: StatusReason | null
  detail: string | null
  reports: { report: OrderReport; newsAt: string }[]
  exit: ExitProgress
  /** How many times the signal has ended: a late fill reopens it. */
  closings: number
  /** The instant for which the waiting exit is planned, UTC; absent before the first plan. */
  plannedFor?: string
  /** The order of the signal that somebody wants cancelled. */
  orderCancel?: OrderCancel
  /** News about the exit plan, of which no account was taken yet. */
  crossed?: CrossedLevel
  planMoved?: boolean
  planEndedBy?: string
}

/** State of an ended signal, kept in the ledger for the case of a late fill. */
export type ReopenState = Required<Pick<SignalInput, 'terms' | 'resumeState'>>

/** How the workflow ended. */
export interface SignalOutcome {
  status: SignalStatus
  reason: StatusReason | null
  /** Shares. */
  entryFilled: Decimal
  exitFilled: Decimal
}

/** Update: answers once the entry is settled: accepted by the broker, known not to be placed, or held for a person. */
export const awaitEntry = defineUpdate<EntryAnswer>('awaitEntry')
export interface EntryAnswer {
  status: SignalStatus
  orderId: string | null
  reason: StatusReason | null
  detail: string | null
  /** Advisories of the check right before the entry; absent when there are none. */
  advisories?: { code: string; message: string }[]
}

/**
 * Update: a person lets a pending signal go, with edits if any. Answers like {@link awaitEntry}. Refused with
 * SIGNAL_NOT_PENDING when it is not waiting for a person (any more), and with WOULD_BE_REFUSED, details {code}, when its order would be
 * refused for a reason that can change: the signal waits on then, and may be approved again.
 */
export const approveSignal = defineUpdate<EntryAnswer, [Approval]>('approveSignal')
export interface Approval {
  /** Who, as shown in the timeline. */
  by: string
  /** Shares, percent or dollars, as the signal's quantityType says; null leaves it. */
  quantity: Decimal | null
  /** Dollars a share; null leaves it. */
  limitPrice: Decimal | null
  /** UTC instant after which the order is not sent any more; null: no limit. */
  sendBefore: string | null
}

/** Update: a person declines a pending signal. Refused with SIGNAL_NOT_PENDING. */
export const declineSignal = defineUpdate<SignalState, [Decline]>('declineSignal')
export interface Decline {
  by: string
  reason: string | null
}

/**
 * Update: withdraws a signal whose order has not been sent. After the answer no order is sent any more.
 * Rejected with SIGNAL_NOT_CANCELLABLE, naming the state.
 */
export const withdrawSignal = defineUpdate<SignalState, [Withdrawal]>('withdrawSignal')
export interface Withdrawal {
  by: string
  /** In words, that a newer alert of its hook took the place of the signal; left out where somebody withdraws it. */
  superseded?: string
}

/** Update: cancels an exit that has not been sent. Refused with EXIT_NOT_CANCELLABLE, naming the state. */
export const cancelExit = defineUpdate<SignalState, [Withdrawal]>('cancelExit')

/**
 * Update: another exit plan from now on, or none (null): what lies at the broker is changed to it. Answers when the plan is in the
 * ledger. Refused with PROTECTION_NOT_CHANGEABLE, naming the state, once the position is closed or the signal has ended.
 */
export const changeProtection = defineUpdate<SignalState, [ProtectionChange]>('changeProtection')
export interface ProtectionChange {
  by: string
  protection: Protection | null
}

/**
 * Message from the watch of prices: the price has reached a level of the plan that nothing at the broker acts upon. Without effect
 * where the plan or the position has changed so that it is none any more.
 */
export const levelCrossed = defineSignal<[CrossedLevel & { seenAt: string }]>('levelCrossed')

/**
 * Message from the watch of prices: another kind of order is to lie at the broker now, such as an oco once the stop begins to trail.
 * Moves of a stop are made by the watch itself, and are not told.
 */
export const protectionMoved = defineSignal('protectionMoved')

/**
 * Update: a newer signal with the same sourceId replaces this one. A working entry order without fills is cancelled
 * first; the replacement is stored in the same transaction that cancels this signal. Rejected with
 * REPLACE_REFUSED_FILLED when the order has a fill, details {filled, total}.
 */
export const replaceSignal = defineUpdate<ReplaceAnswer, [ReplaceRequest]>('replaceSignal')
export interface ReplaceRequest {
  by: string
  /** The new signal's row as the ledger stores it, and its first timeline entry. */
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}
export interface ReplaceAnswer {
  /** Set when the old order could not be cancelled at the broker and is still followed. */
  warning: string | null
}

/** Why an update was refused: the `type` of the ApplicationFailure that answers it. */
export const UPDATE_REJECTIONS = [
  'SIGNAL_NOT_PENDING',
  'WOULD_BE_REFUSED',
  'SIGNAL_NOT_CANCELLABLE',
  'EXIT_NOT_CANCELLABLE',
  'PROTECTION_NOT_CHANGEABLE',
  'REPLACE_REFUSED_FILLED',
  'SIGNAL_ENDED',
  ORDER_NOT_CANCELLABLE,
] as const
export type UpdateRejection = (typeof UPDATE_REJECTIONS)[number]

/** State of a signal after a message changed it. */
export interface SignalState {
  status: SignalStatus
  reason: StatusReason | null
}

/** Message from the broker feed: whatever kept an exit from being placed is over, so it is tried at once. */
export const retryExit = defineSignal('retryExit')

/**
 * Message from the broker feed: the calendar says something else of the days by which the exit was planned, so it is planned
 * again. Without effect on an exit that does not wait for its time.
 */
export const exitCalendarChanged = defineSignal('exitCalendarChanged')

/** Message from the worker: an earlier signal has changed, so one that waits for its turn looks whether it has come. */
export const earlierSignalChanged = defineSignal('earlierSignalChanged')

/** Query: where the signal stands, in words. */
export const signalProgress = defineQuery<SignalProgress>('signalProgress')
export interface SignalProgress {
  status: SignalStatus
  /** The event for which the signal waits, in words for an operator; null when it has ended. */
  waitsFor: string | null
  /** UTC instant until which it waits; null when there is none. */
  until: string | null
}

/** Operators find signals and manual orders in Temporal's list by these attributes. */
export const searchAttributes = {
  status: defineSearchAttributeKey('SignalStatus', 'KEYWORD'),
  accountId: defineSearchAttributeKey('AccountId', 'KEYWORD'),
  symbol: defineSearchAttributeKey('Symbol', 'KEYWORD'),
  action: defineSearchAttributeKey('Action', 'KEYWORD'),
  executeMode: defineSearchAttributeKey('ExecuteMode', 'KEYWORD'),
  strategyId: defineSearchAttributeKey('StrategyId', 'KEYWORD'),
  orderStatus: defineSearchAttributeKey('OrderStatus', 'KEYWORD'),
  orderSide: defineSearchAttributeKey('OrderSide', 'KEYWORD'),
}

/** The search attributes with which the workflow of a signal is started. */
export function searchAttributesOf(terms: SignalTerms, status: SignalStatus): SearchAttributePair[] {
  return [
    { key: searchAttributes.status, value: status },
    { key: searchAttributes.accountId, value: terms.accountId },
    { key: searchAttributes.symbol, value: terms.symbol },
    { key: searchAttributes.action, value: terms.action },
    { key: searchAttributes.executeMode, value: terms.executeMode },
    ...(terms.strategyId === null ? [] : [{ key: searchAttributes.strategyId, value: terms.strategyId }]),
  ]
}
