import { isZero } from '#domain/decimal.ts'
import { mayMoveOpen } from '#domain/moves.ts'
import { isOpening } from '#domain/signal.ts'
import type { SignalRequest } from './schema.ts'

type Wish = Pick<SignalRequest, 'action' | 'targetPosition' | 'move'>

/** Whether what a signal trades is known when it is sent, by what is held then. */
export const isByHoldings = ({ targetPosition, move }: Omit<Wish, 'action'>): boolean =>
  targetPosition !== null || move !== null

/** Whether a signal opens a position whatever is held. What another one trades is judged when it is sent. */
export const surelyOpens = (wish: Wish): boolean => !isByHoldings(wish) && isOpening(wish.action)

/** Whether a signal opens a position, by what is held or in any case. */
export function mayOpen({ action, targetPosition, move }: Wish): boolean {
  if (targetPosition !== null) return !isZero(targetPosition)
  return move === null ? isOpening(action) : mayMoveOpen(move)
}
