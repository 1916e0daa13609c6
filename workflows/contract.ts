import { defineSearchAttributeKey } from '@temporalio/common'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { SignalStatus } from '#domain/signal-status.ts'

/**
 * What the outside knows of the signal workflow: its name, its messages and their shapes. Temporal's signals
 * and updates are called messages here, because "signal" is the trading signal.
 */
export const SIGNAL_WORKFLOW = 'signalWorkflow'

/** The one argument of the workflow. */
export interface SignalInput {
  terms: SignalTerms
}

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
}

/** Message from the broker feed: an order of this signal has ended, or has filled further after its end. */
export const ORDER_CHANGED = 'orderChanged'
export type OrderChanged = OrderReport

/** Query: where the signal stands, in words. */
export const SIGNAL_PROGRESS = 'signalProgress'
export interface SignalProgress {
  status: SignalStatus
  /** What the signal waits for, in words for an operator; null when it has ended. */
  waitsFor: string | null
  /** UTC instant until which it waits, where there is one. */
  until: string | null
}

/** By these an operator finds signals in Temporal's list. */
export const searchAttributes = {
  status: defineSearchAttributeKey('SignalStatus', 'KEYWORD'),
  accountId: defineSearchAttributeKey('AccountId', 'KEYWORD'),
  symbol: defineSearchAttributeKey('Symbol', 'KEYWORD'),
  action: defineSearchAttributeKey('Action', 'KEYWORD'),
  executeMode: defineSearchAttributeKey('ExecuteMode', 'KEYWORD'),
  strategyId: defineSearchAttributeKey('StrategyId', 'KEYWORD'),
}
