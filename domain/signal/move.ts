import type { Decimal } from '../common/decimal.ts'

/**
 * By the holdings at its sending: buy, sell or close, in most senders' words. Worked out once, under the lock of
 * account and symbol (decision 6); quantity and quantityType are of what is opened or added.
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
  /** percent: rounded down to whole shares unless it is 100. Null for all. */
  part: { shares: Decimal } | { percent: Decimal } | null
}
