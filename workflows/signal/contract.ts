import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import type { Decimal } from '#domain/decimal.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'

/**
 * What the outside knows of the signal workflow: its name, its messages and their shapes. Temporal's signals
 * and updates are called messages here, because "signal" is the trading signal.
 */
export const SIGNAL_WORKFLOW = 'signalWorkflow'

/** The one argument of the workflow. */
export interface SignalInput {
  terms: SignalTerms
  /** What an earlier run of the same signal hands over when its history has grown long. */
  resumeState?: ResumeState
  /** Set when the feed opens a signal again that had ended, because a fill came all the same. */
  reopens?: true
}

/**
 * How far the story has come. waiting: for its time or a person. checking: earlier signals of the symbol, then its checks. sending: the
 * entry order is on its way. working: it is at the broker. awaitingExit: the exit's time. exiting: the exit
 * order. ended.
 */
export type Phase = 'waiting' | 'checking' | 'sending' | 'working' | 'awaitingExit' | 'exiting' | 'ended'

/** All that a fresh history needs to go on. */
export interface ResumeState {
  phase: Phase
  status: SignalStatus
  orderId: string | null
  reason: string | null
  detail: string | null
  reports: { report: OrderReport; newsAt: string }[]
  entryEndedAt: string | null
  exitCancelledBy: string | null
  exit: ExitProgress
  /** How often the signal has ended: a late fill opens it again. */
  closings: number
  /** The order of the signal that somebody wants cancelled. */
  orderCancel?: SignalOrderCancel
}

/** How far the exit has come. */
export interface ExitProgress {
  /** Of the next exit that is sized; counts from 1. */
  generation: number
  /** Shares of the entry that exits have been sent for, or that had been closed otherwise. */
  coveredQuantity: Decimal
  /** The exit order that is with the broker. */
  workingOrder: { clientOrderId: string; quantity: Decimal; coversQuantity: Decimal } | null
  /** Client order ids of the exit orders that have ended. */
  ended: string[]
  /** Shares for which no further exit follows, and the client order id of the exit that ended too early. */
  uncovered: { quantity: Decimal; clientOrderId: string } | null
  /** Tries that came to nothing since an exit order was filled. */
  failures: number
  /** When it is tried again; UTC instant. Null when there is nothing to wait for. */
  notBefore: string | null
}

/** What the ledger keeps of a signal that has ended, for a fill that comes all the same. */
export type ReopenState = Required<Pick<SignalInput, 'terms' | 'resumeState'>>

/** How the workflow ended. */
export interface SignalOutcome {
  status: SignalStatus
  reason: string | null
  /** Shares. */
  entryFilled: string
  exitFilled: string
}

/** Update: answers once the entry is settled, that is accepted by the broker or known not to be placed. */
export const AWAIT_ENTRY = 'awaitEntry'
export interface EntryAnswer {
  status: SignalStatus
  orderId: string | null
  reason: string | null
  detail: string | null
  /** What the check right before the entry was sent has to say beside; left out where that is nothing. */
  advisories?: { code: string; message: string }[]
}

/**
 * Update: a person lets a pending signal go, with edits if any. Answers like {@link AWAIT_ENTRY}. Refused with
 * SIGNAL_NOT_PENDING when it is not waiting for a person (any more).
 */
export const APPROVE_SIGNAL = 'approveSignal'
export interface Approval {
  /** Who, as shown in the timeline. */
  by: string
  /** Shares, percent or dollars, as the signal's quantityType says; null leaves it. */
  quantity: string | null
  /** Dollars a share; null leaves it. */
  limitPrice: string | null
  /** UTC instant after which the order is not sent any more; null: whenever it becomes possible. */
  sendBefore: string | null
}

/** Update: a person declines a pending signal. Refused with SIGNAL_NOT_PENDING. */
export const DECLINE_SIGNAL = 'declineSignal'
export interface Decline {
  by: string
  reason: string | null
}

/**
 * Update: withdraws a signal whose order has not been sent. After it is answered no order is sent any more.
 * Refused with SIGNAL_NOT_CANCELLABLE, naming the state.
 */
export const WITHDRAW_SIGNAL = 'withdrawSignal'
export interface Withdrawal {
  by: string
}

/** Update: cancels an exit that has not been sent. Refused with EXIT_NOT_CANCELLABLE, naming the state. */
export const CANCEL_EXIT = 'cancelExit'

/**
 * Update: a newer signal with the same sourceId takes this one's place. The entry order is cancelled first if
 * it works unfilled; the replacement is stored in the same transaction that cancels this signal. Refused with
 * REPLACE_REFUSED_FILLED when anything has filled, details {filled, total}.
 */
export const REPLACE_SIGNAL = 'replaceSignal'
export interface ReplaceRequest {
  by: string
  /** The new signal's row as the ledger stores it, and its first timeline entry. */
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}
export interface ReplaceAnswer {
  /** Set when the old order could not be cancelled at the broker and is still watched. */
  warning: string | null
}

/**
 * Update: has the broker cancel an order of the signal that works there. Answers once the order has ended or the broker
 * was asked. What the entry has filled gets its exit; after a cancelled exit the position stays. Refused with
 * ORDER_NOT_CANCELLABLE when the order has ended, naming its status.
 */
export const CANCEL_SIGNAL_ORDER = 'cancelOrder'
export interface SignalOrderCancel extends Withdrawal {
  clientOrderId: string
}
export interface CancelAnswer {
  /** A working one when the broker has not confirmed the cancel yet: the order may still fill. */
  status: OrderStatus
  /** Shares. */
  filledQuantity: Decimal
}

/** Why an update was refused: the `type` of the ApplicationFailure that answers it. */
export const UPDATE_REJECTIONS = [
  'SIGNAL_NOT_PENDING',
  'SIGNAL_NOT_CANCELLABLE',
  'EXIT_NOT_CANCELLABLE',
  'REPLACE_REFUSED_FILLED',
  'SIGNAL_ENDED',
  'ORDER_NOT_CANCELLABLE',
] as const
export type UpdateRejection = (typeof UPDATE_REJECTIONS)[number]

/** How a signal stands after a message changed it. */
export interface SignalState {
  status: SignalStatus
  reason: string | null
}

/** Message from the broker feed: an order of this signal has ended, or has filled further after its end. */
export const ORDER_CHANGED = 'orderChanged'
export type OrderChanged = OrderReport

/** Message from the broker feed: whatever kept an exit from being placed is over, so it is tried at once. */
export const RETRY_EXIT = 'retryExit'

/** Message from the worker: an earlier signal has changed, so one that waits for its turn looks whether it has come. */
export const EARLIER_SIGNAL_CHANGED = 'earlierSignalChanged'

/** Query: where the signal stands, in words. */
export const SIGNAL_PROGRESS = 'signalProgress'
export interface SignalProgress {
  status: SignalStatus
  /** What the signal waits for, in words for an operator; null when it has ended. */
  waitsFor: string | null
  /** UTC instant until which it waits, where there is one. */
  until: string | null
}

/** By these an operator finds signals, and manual orders, in Temporal's list. */
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
