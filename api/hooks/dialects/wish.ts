import type { Decimal } from '#domain/decimal.ts'
import type { SenderHolds } from '#domain/sender-holds.ts'
import type { Trade } from '#domain/move.ts'
import type { Given } from './sender-fields.ts'

export type Side = 'LONG' | 'SHORT'
export type Direction = 'buy' | 'sell'

export interface Size {
  unit: 'shares' | 'dollars' | 'percentEquity' | 'percentOfPosition' | 'riskPercent' | 'riskDollars'
  value: Decimal
  given: Given
}

export type Intent =
  | { kind: 'move'; move: Trade }
  /** All that is held where the wish has no size. */
  | { kind: 'close'; side: Side | null }
  /** Shares, below zero for a short position; `at` is a UTC instant. */
  | { kind: 'target'; position: Decimal; at: string | null; given: Given }

export interface Wish {
  symbol: string
  intent: Intent
  size: Size | null
  /** Shares where neither the message nor the hook says a size; without it such a message is refused. */
  sizeless?: Decimal
  order: Record<string, unknown>
  protection: ReadPlan
  delaySeconds: number | null
  senderHolds: SenderHolds | null
  names: Partial<Record<string, string>>
}

export interface ReadPlan {
  stop: (ReadPart & { limit: ReadPrice | null }) | null
  target: ReadPart | null
  trail: ReadPart | null
  /** What cannot be kept, and why, in words. */
  unkept: { given: Given; why: string }[]
}

export interface ReadPart {
  given: Given
  fields: Partial<Record<'price' | 'percent' | 'amount', ReadPrice>>
}
export type ReadPrice = { given: Given; value: Decimal }

export const UNPROTECTED: ReadPlan = { stop: null, target: null, trail: null, unkept: [] }
