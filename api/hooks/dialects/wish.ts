import type { Decimal } from '#domain/decimal.ts'
import type { SenderHolds } from '#domain/sender-holds.ts'
import type { Trade } from '#domain/move.ts'
import type { Given } from './sender-fields.ts'

export type Side = 'LONG' | 'SHORT'
export type Direction = 'buy' | 'sell'

/** How much, and of what; the field that says it. */
export interface Size {
  unit: 'shares' | 'dollars' | 'percentEquity' | 'percentOfPosition'
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
  protection: Protection
  delaySeconds: number | null
  senderHolds: SenderHolds | null
  /** Our fields by the sender's names of them. */
  names: Partial<Record<string, string>>
}

/** A stop and a profit target that come with an entry; null for none. */
export interface Protection {
  stop: Guard | null
  target: Guard | null
}

export interface Guard {
  given: Given
  /** Dollars a share; null where it is said in a way that cannot be kept, which `kept` names. */
  price: Decimal | null
  /** Of a stop that becomes a limit order. */
  limit: Decimal | null
  /** In words, why it cannot be kept; null where it can. */
  fault: string | null
}

export const UNPROTECTED: Protection = { stop: null, target: null }
