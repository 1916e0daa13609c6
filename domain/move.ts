import type { Decimal } from './decimal.ts'

/**
 * A wish whose order depends on what is held when it is sent: buy, sell or close, as most senders say it. Beside it a signal says a
 * quantity and quantityType, which are those of what is opened or added. It is worked out once, under the lock of account and symbol,
 * like a target position (`docs/decisions/0024-target-position.md`).
 */
export type Move = Trade | Close

/** Buy or sell. */
export interface Trade {
  kind: 'trade'
  direction: 'buy' | 'sell'
  /** Nothing is held or on order. */
  whenFlat: 'open' | 'nothing' | 'refuse'
  /**
   * The other side is held. reverse: all of it is closed, then the quantity is opened by another signal; market and limit orders
   * alone. close: all of it is closed. reduce: the quantity, in shares, is taken off, and never more than is held.
   */
  whenOpposite: 'reverse' | 'close' | 'reduce' | 'refuse'
  /** This side is held. */
  whenSame: 'add' | 'nothing' | 'refuse'
}

/** Close what is held; where nothing is, nothing is to do. */
export interface Close {
  kind: 'close'
  /** Only what is held on this side; null for either. */
  side: 'LONG' | 'SHORT' | null
  /** shares: no more than are held. percent: of what is held, rounded down to whole shares unless it is 100. Null for all. */
  part: { shares: Decimal } | { percent: Decimal } | null
}
