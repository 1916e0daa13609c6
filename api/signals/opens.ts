import { isZero } from '#domain/decimal.ts'
import { isOpening } from '#domain/signal.ts'
import type { SignalRequest } from './schema.ts'

type Wish = Pick<SignalRequest, 'action' | 'targetPosition'>

/** Whether a signal opens a position whatever is held. What a target trades is known when it is sent, and judged then. */
export const surelyOpens = ({ action, targetPosition }: Wish): boolean =>
  targetPosition === null && isOpening(action)

/** Whether a signal opens a position, by what is held or in any case. */
export const mayOpen = ({ action, targetPosition }: Wish): boolean =>
  targetPosition === null ? isOpening(action) : !isZero(targetPosition)
