import type { Ask } from '../signal/origin.ts'
import { compare } from '../money/decimal.ts'
import {
  goesAcross,
  isOpening,
  type Action,
  type Target,
  ENTRY_STAGE,
  type SignalStatus,
} from '../signal/signal.ts'

/**
 * undecided: no decided order. leaving: decided, perhaps at the broker. working: at the broker. crossing: its order
 * closes, and another signal, not yet stored, opens the other side.
 */
export type MayOpen = 'undecided' | 'leaving' | 'working' | 'crossing'

export interface EntryState {
  status: SignalStatus
  action: Action
  target?: Target | null
  ask?: Ask | null
  isDecided: boolean
  /** Its order is in the ledger and has not ended. */
  works: boolean
  hasEnded: boolean
}

/** Null if a signal certainly opens no position. */
export function mayOpen(signal: EntryState): MayOpen | null {
  const { status, action, target, ask, isDecided, works, hasEnded } = signal
  const stage = ENTRY_STAGE[status]
  // A replaced order may still work.
  if (works && isOpening(action)) return 'working'
  if (stage === 'over') return null
  if (stage === 'placed' || isDecided) {
    if (goesAcross(signal) && !hasEnded) return 'crossing'
    return stage !== 'placed' && isOpening(action) ? 'leaving' : null
  }
  // The decision on an order includes its direction.
  if (ask?.reducesOnly) return null
  if (!isOpening(action) && !ask && (target == null || compare(target.position, '0') === 0)) return null
  return stage === 'sent' ? 'leaving' : 'undecided'
}
