import { isZero } from '#domain/decimal.ts'
import { mayMoveOpen } from '#domain/moves.ts'
import { isOpening } from '#domain/signal.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'

type Wish = Pick<SignalRequest, 'action' | 'targetPosition' | 'move'>

/** Known only when it is sent, by what is held then. */
export const isByHoldings = ({ targetPosition, move }: Omit<Wish, 'action'>): boolean =>
  targetPosition !== null || move !== null

export const surelyOpens = (wish: Wish): boolean => !isByHoldings(wish) && isOpening(wish.action)

export function mayOpen({ action, targetPosition, move }: Wish): boolean {
  if (targetPosition !== null) return !isZero(targetPosition)
  return move === null ? isOpening(action) : mayMoveOpen(move)
}
