import type { Move } from '../move.ts'
import { ACTIONS, type Action } from '../signal.ts'

const OPENING_ACTIONS: readonly Action[] = ['openLong', 'openShort']
const ALL: readonly Action[] = ACTIONS

/**
 * The actions of signals which a newer alert of the same hook and symbol takes the place of while they wait. An alert that says the whole
 * position, or closes all of it, takes the place of every one. A step that adds to what is held takes the place of an opening of the other
 * side only: its sender means both steps of one side, and the close before it. A part that is closed takes the place of openings.
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
