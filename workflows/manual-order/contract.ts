import type { SearchAttributePair } from '@temporalio/common'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import { searchAttributes, type CancelAnswer } from '../signal/contract.ts'

/**
 * The public contract of the workflow of a manual order: its name, its messages and their shapes. The feed reports the
 * order by the same message as for signals, `orderChanged`.
 */
export const ORDER_WORKFLOW = 'orderWorkflow'

/** The one argument of the workflow. */
export interface OrderInput {
  terms: ManualOrderTerms
  /** State of the previous run, when the workflow continued as new because its history had grown long. */
  resumeState?: OrderResumeState
}

/**
 * Phase of the workflow. checking: pre-trade checks. sending: the order is on its way. working: it is at the broker.
 */
export type OrderPhase = 'checking' | 'sending' | 'working' | 'ended'

/** Everything that a new run needs after continue-as-new. */
export interface OrderResumeState {
  phase: OrderPhase
  report: OrderReport | null
  cancel: OrderCancel | null
}

/** A request to cancel the order. */
export interface OrderCancel {
  /** Who, as shown in the timeline. */
  by: string
}

/** How the workflow ended. */
export interface OrderOutcome {
  status: OrderStatus
  /** Why no order was placed; null when one was. */
  reason: string | null
  /** Shares. */
  filled: string
}

/** Update: answers once the order is accepted by the broker or known not to be placed. */
export const AWAIT_PLACEMENT = 'awaitPlacement'
export interface PlacementAnswer {
  status: OrderStatus
  brokerOrderId: string | null
}

/**
 * Update: cancels the order, at the broker if it is there. Answers when the order has ended or the broker has taken the
 * request; then it may still fill. Rejected with ORDER_NOT_CANCELLABLE when it has ended, naming its status.
 */
export const CANCEL_ORDER = 'cancelOrder'
export type { CancelAnswer }

/** Query: the state of the order, in words. */
export const ORDER_PROGRESS = 'orderProgress'
export interface OrderProgress {
  status: OrderStatus
  /** What it waits for, in words for an operator; null when it has ended. */
  waitsFor: string | null
}

/** The search attributes with which the workflow of an order is started. */
export const searchAttributesOfOrder = ({
  accountId,
  symbol,
  side,
}: ManualOrderTerms): SearchAttributePair[] => [
  { key: searchAttributes.orderStatus, value: 'PENDING' },
  { key: searchAttributes.orderSide, value: side },
  { key: searchAttributes.accountId, value: accountId },
  { key: searchAttributes.symbol, value: symbol },
]
