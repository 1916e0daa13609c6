import type { SearchAttributePair } from '@temporalio/common'
import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import type { OrderCancel } from '../order/contract.ts'
import { searchAttributes } from '../signal/contract.ts'

/** Input and messages of the workflow of a manual order, beside those of `order/contract.ts`. */

/** 4 6 9 12 */
export interface OrderInput {
  terms: ManualOrderTerms
  /** Of the previous run, after continue-as-new. */
  resumeState?: OrderResumeState
}

/** checking: pre-trade checks. sending: the order is on its way. working: it is at the broker. */
export type OrderPhase = 'checking' | 'sending' | 'working' | 'ended'

/** Everything that a new run needs after continue-as-new. */
export interface OrderResumeState {
  phase: OrderPhase
  report: OrderReport | null
  cancel: OrderCancel | null
}

/** How the workflow ended. */
export interface OrderOutcome {
  status: OrderStatus
  /** Why no order was placed. */
  reason: string | null
  filled: Decimal
}

/** Update: answers once the order is accepted by the broker or known not to be placed. */
export const awaitPlacement = defineUpdate<PlacementAnswer>('awaitPlacement')
export interface PlacementAnswer {
  status: OrderStatus
  brokerOrderId: string | null
}

export const orderProgress = defineQuery<OrderProgress>('orderProgress')
export interface OrderProgress {
  status: OrderStatus
  /** For an operator; null at the end. */
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
