import type { SearchAttributePair } from '@temporalio/common'
import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import type { OrderCancel } from '../order/contract.ts'
import { searchAttributes } from '../signal/contract.ts'

/**
 * What the outside knows of the workflow that carries a manual order: its input, its messages and their
 * shapes. It takes those of `order/contract.ts` too.
 */

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
  /** The request to cancel it; null when nobody has asked. */
  cancel: OrderCancel | null
}

/** How the workflow ended. */
export interface OrderOutcome {
  status: OrderStatus
  /** Why no order was placed; null when one was. */
  reason: string | null
  /** Shares. */
  filled: Decimal
}

/** Update: answers once the order is accepted by the broker or known not to be placed. */
export const awaitPlacement = defineUpdate<PlacementAnswer>('awaitPlacement')
export interface PlacementAnswer {
  status: OrderStatus
  brokerOrderId: string | null
}

/** Query: where the order stands, in words. */
export const orderProgress = defineQuery<OrderProgress>('orderProgress')
export interface OrderProgress {
  status: OrderStatus
  /** The awaited event, in words for an operator; null when it has ended. */
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
