import type { SearchAttributePair } from '@temporalio/common'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import { searchAttributes, type CancelAnswer } from '../signal/contract.ts'

/**
 * What the outside knows of the workflow that carries a manual order: its name, its messages and their
 * shapes. The feed tells it of its order by the message that signals get, `orderChanged`.
 */
export const ORDER_WORKFLOW = 'orderWorkflow'

/** The one argument of the workflow. */
export interface OrderInput {
  terms: ManualOrderTerms
  /** What an earlier run of the same order hands over when its history has grown long. */
  resumeState?: OrderResumeState
}

/**
 * How far the order has come. checking: its checks. sending: it is on its way. working: it is at the broker. ended.
 */
export type OrderPhase = 'checking' | 'sending' | 'working' | 'ended'

/** All that a fresh history needs to go on. */
export interface OrderResumeState {
  phase: OrderPhase
  report: OrderReport | null
  cancel: OrderCancel | null
}

/** Somebody asks for an order to be cancelled. */
export interface OrderCancel {
  /** Who, as shown in the timeline. */
  by: string
}

/** How the workflow ended. */
export interface OrderOutcome {
  status: OrderStatus
  /** Why it came to nothing; null where it did not. */
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
 * Update: cancels the order, or has its broker cancel it. Answers once it has ended or the broker was asked, which is
 * not done yet: it may still fill. Refused with ORDER_NOT_CANCELLABLE when it has ended, naming its status.
 */
export const CANCEL_ORDER = 'cancelOrder'
export type { CancelAnswer }

/** Query: where the order stands, in words. */
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
