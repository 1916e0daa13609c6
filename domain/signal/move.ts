import type { Decimal } from '../money/decimal.ts'

/**
 * An instruction that depends on the position. Resolved once, under the lock of account and symbol (decision 6);
 * quantity and quantityType concern opened shares.
 */
export type Move = Trade | Close

export interface Trade {
  kind: 'trade'
  direction: 'buy' | 'sell'
  whenFlat: 'open' | 'nothing' | 'refuse'
  /** reverse: close all, then another signal opens (market and limit orders only). reduce: by shares. */
  whenOpposite: 'reverse' | 'close' | 'reduce' | 'refuse'
  whenSame: 'add' | 'nothing' | 'refuse'
}

export interface Close {
  kind: 'close'
  side: 'LONG' | 'SHORT' | null
  /** percent: whole shares, rounded down, unless it is 100. Null for all. */
  part: { shares: Decimal } | { percent: Decimal } | null
}
