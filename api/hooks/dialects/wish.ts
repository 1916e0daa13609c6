import type { Decimal } from '#domain/decimal.ts'
import type { SenderHolds } from '#domain/sender-holds.ts'
import type { Trade } from '#domain/move.ts'
import type { Given } from './sender-fields.ts'

export type Side = 'LONG' | 'SHORT'
export type Direction = 'buy' | 'sell'

/** How much, and of what; the field that says it. */
export interface Size {
  unit: 'shares' | 'dollars' | 'percentEquity' | 'percentOfPosition' | 'riskPercent' | 'riskDollars'
  value: Decimal
  given: Given
}

/** A trade in one share. */
export type Intent =
  | { kind: 'move'; move: Trade }
  /** All that is held where the wish has no size. */
  | { kind: 'close'; side: Side | null }
  /** Shares, below zero for a short position; `at` is a UTC instant. */
  | { kind: 'target'; position: Decimal; at: string | null; given: Given }

/** What a message wishes for one share, before the hook's defaults. */
export interface Wish {
  symbol: string
  intent: Intent
  size: Size | null
  /** Shares that are meant where neither the message nor the hook says a size; left out where such a message is refused. */
  sizeless?: Decimal
  /** orderType, limitPrice, stopPrice, timeInForce and extendedHours, as a body has them, as far as the sender says them. */
  order: Record<string, unknown>
  protection: ReadPlan
  delaySeconds: number | null
  senderHolds: SenderHolds | null
  /** Our fields by the sender's names of them. */
  names: Partial<Record<string, string>>
}

/** The exit plan that a message brings for what it opens. A part that stands for nothing is null. */
export interface ReadPlan {
  stop: (ReadPart & { limit: ReadPrice | null }) | null
  target: ReadPart | null
  trail: ReadPart | null
  /** What asks for a stop or a target and cannot be kept, and why, in words. */
  unkept: { given: Given; why: string }[]
}

/** A part by the fields of POST /signals, each with the sender's own. */
export interface ReadPart {
  given: Given
  fields: Partial<Record<'price' | 'percent' | 'amount', ReadPrice>>
}
export type ReadPrice = { given: Given; value: Decimal }

export const UNPROTECTED: ReadPlan = { stop: null, target: null, trail: null, unkept: [] }
