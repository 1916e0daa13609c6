import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import type { SignalTerms, SignalStatus } from '#domain/signal/signal.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import type { StatusReason } from '#domain/risk/denial.ts'
import { ORDER_NOT_CANCELLABLE } from '../order/contract.ts'

/** Temporal's signals and updates are called messages, because "signal" is the trading signal. */

export interface SignalInput {
  terms: SignalTerms
  /** Later run: terms and state come from the ledger. */
  loads?: true
  /** Task queue once the entry rests or the exit waits. */
  thenQueue?: string
}

/**
 * waiting: for the scheduled time or a person. checking: earlier signals, then pre-trade checks. working: the entry is
 * at the broker. exiting: the entry has ended, its exit has not.
 */
export type Phase = 'loading' | 'waiting' | 'checking' | 'sending' | 'working' | 'exiting' | 'ended'

export interface SignalOutcome {
  status: SignalStatus
  reason: StatusReason | null
  entryFilled: Decimal
  exitFilled: Decimal
}

/** Update: answers once the entry is accepted, known not to be placed, or requires approval. */
export const awaitEntry = defineUpdate<EntryAnswer>('awaitEntry')
export interface EntryAnswer {
  status: SignalStatus
  orderId: string | null
  reason: StatusReason | null
  detail: string | null
  advisories?: { code: string; message: string }[]
}

/**
 * Update, answered as {@link awaitEntry}. Rejected with SIGNAL_NOT_PENDING, or WOULD_BE_REFUSED {code}: the signal
 * waits on.
 */
export const approveSignal = defineUpdate<EntryAnswer, [Approval]>('approveSignal')
export interface Approval {
  by: string
  /** Shares, percent or dollars, by quantityType; null leaves it. */
  quantity: Decimal | null
  limitPrice: Decimal | null
  sendBefore: string | null
}

/** Update. Rejected with SIGNAL_NOT_PENDING. */
export const declineSignal = defineUpdate<SignalState, [Decline]>('declineSignal')
export interface Decline {
  by: string
  reason: string | null
}

/** Update: after the answer no order is sent any more. Rejected with SIGNAL_NOT_CANCELLABLE. */
export const withdrawSignal = defineUpdate<SignalState, [Withdrawal]>('withdrawSignal')
export interface Withdrawal {
  by: string
  /** Newer alert that took its place, in words. */
  superseded?: string
}

/** Update, for an unsent exit. Rejected with EXIT_NOT_CANCELLABLE. */
export const cancelExit = defineUpdate<SignalState, [Withdrawal]>('cancelExit')

/** Update: answers when the levels are in the ledger. Rejected with PROTECTION_NOT_CHANGEABLE {faults}. */
export const changeProtection = defineUpdate<SignalState, [ProtectionChange]>('changeProtection')
export interface ProtectionChange {
  by: string
  change: ExitChange
}

/** Message: facts of the exit have changed in the ledger. */
export const exitNews = defineSignal('exitNews')

/**
 * Update: a newer signal with the same sourceId. A working entry without fills is cancelled first; one transaction
 * stores the new signal and cancels this one. Rejected with REPLACE_REFUSED_FILLED {filled, total} after a fill.
 */
export const replaceSignal = defineUpdate<ReplaceAnswer, [ReplaceRequest]>('replaceSignal')
export interface ReplaceRequest {
  by: string
  replacement: { row: Record<string, unknown>; received: TimelineEntry }
}
export interface ReplaceAnswer {
  /** The old order is not cancelled yet, and still followed. */
  warning: string | null
}

/** Types of the ApplicationFailure that rejects an update. */
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

export interface SignalState {
  status: SignalStatus
  reason: StatusReason | null
}

/** Message from the feed: the exit can perhaps be placed now. */
export const retryExit = defineSignal('retryExit')

/** Message from the feed: the time of the exit is looked up again. */
export const exitCalendarChanged = defineSignal('exitCalendarChanged')

/** Message from the worker: look again whether earlier signals have ended. */
export const earlierSignalChanged = defineSignal('earlierSignalChanged')

export const signalProgress = defineQuery<SignalProgress>('signalProgress')
export interface SignalProgress {
  status: SignalStatus
  waitsFor: string | null
  until: string | null
}

export const searchAttributes = {
  status: defineSearchAttributeKey('SignalStatus', 'KEYWORD'),
  accountId: defineSearchAttributeKey('AccountId', 'KEYWORD'),
  symbol: defineSearchAttributeKey('Symbol', 'KEYWORD'),
  action: defineSearchAttributeKey('Action', 'KEYWORD'),
  executeMode: defineSearchAttributeKey('ExecuteMode', 'KEYWORD'),
  strategyId: defineSearchAttributeKey('StrategyId', 'KEYWORD'),
  origin: defineSearchAttributeKey('Origin', 'KEYWORD'),
}

export function searchAttributesOf(terms: SignalTerms, status: SignalStatus): SearchAttributePair[] {
  return [
    { key: searchAttributes.status, value: status },
    { key: searchAttributes.accountId, value: terms.accountId },
    { key: searchAttributes.symbol, value: terms.symbol },
    { key: searchAttributes.action, value: terms.action },
    { key: searchAttributes.origin, value: terms.origin },
    { key: searchAttributes.executeMode, value: terms.executeMode },
    ...(terms.strategyId === null ? [] : [{ key: searchAttributes.strategyId, value: terms.strategyId }]),
  ]
}
