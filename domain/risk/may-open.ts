import type { Ask } from '../signal/origin.ts'
import { compare } from '../common/decimal.ts'
import {
  goesAcross,
  isOpening,
  type Action,
  type Target,
  ENTRY_STAGE,
  type SignalStatus,
} from '../signal/signal.ts'

/**
 * undecided: no order is decided. leaving: one is, and may be at the broker. working: one is there. crossing: one closes, and another
 * signal, not stored yet, opens the other side.
 */
export type MayOpen = 'undecided' | 'leaving' | 'working' | 'crossing'

export interface EntryStanding {
  status: SignalStatus
  action: Action
  target?: Target | null
  ask?: Ask | null
  /** The decision to send its order is in the ledger. */
  isDecided: boolean
  /** Its order is in the ledger, and has not ended. */
  works: boolean
  hasEnded: boolean
}

/** How a signal may still open a position; null where it certainly opens none. */
export function mayOpen(signal: EntryStanding): MayOpen | null {
  const { status, action, target, ask, isDecided, works, hasEnded } = signal
  const stage = ENTRY_STAGE[status]
  // An order that was replaced may work on.
  if (works && isOpening(action)) return 'working'
  if (stage === 'over') return null
  if (stage === 'placed' || isDecided) {
    if (goesAcross(signal) && !hasEnded) return 'crossing'
    return stage !== 'placed' && isOpening(action) ? 'leaving' : null
  }
  // Which way it trades, for a target or by hand, is decided with its order.
  if (ask?.reducesOnly) return null
  if (!isOpening(action) && !ask && (target == null || compare(target.position, '0') === 0)) return null
  return stage === 'sent' ? 'leaving' : 'undecided'
}
