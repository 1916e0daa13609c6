import type { Move } from '../signal/move.ts'
import { ACTIONS, type Action } from '../signal/signal.ts'

const OPENING_ACTIONS: readonly Action[] = ['openLong', 'openShort']
const ALL: readonly Action[] = ACTIONS

/**
 * Waiting signals of hook and symbol that a newer alert replaces: all for a whole position or full close, opposite
 * openings for a step that adds, openings for a partial close.
 */
export function supersededBy(move: Move | null, action: Action, isTarget: boolean): readonly Action[] {
  if (isTarget) return ALL
  if (move === null) {
    if (action === 'openLong' || action === 'closeShort') return ['openShort']
    return ['openLong']
  }
  if (move.kind === 'close') return move.part === null ? ALL : OPENING_ACTIONS
  if (move.whenSame !== 'add') return ALL
  return [move.direction === 'buy' ? 'openShort' : 'openLong']
}
