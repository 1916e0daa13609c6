import type { SearchAttributePair } from '@temporalio/common'
import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport, OrderStatus } from '#domain/order.ts'
import type { OrderCancel } from '../order/contract.ts'
import { searchAttributes } from '../signal/contract.ts'

export interface OrderInput {
  terms: ManualOrderTerms
  resumeState?: OrderResumeState
}

/** checking: pre-trade checks. sending: the order is on its way. working: it is at the broker. */
export type OrderPhase = 'checking' | 'sending' | 'working' | 'ended'

export interface OrderResumeState {
  phase: OrderPhase
  report: OrderReport | null
  cancel: OrderCancel | null
}

export interface OrderOutcome {
  status: OrderStatus
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
  waitsFor: string | null
}

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
