import { type Action, type Target, goesAcross, isOpening } from './signal.ts'
import type { OrderType, TimeInForce } from '../order/order.ts'

export type Dependence = 'sent' | 'ended'

/** Milliseconds. Then a close is sized to the held shares; an opening is not sent. */
export const SEQUENCING_TIMEOUT = { opening: 300_000, closing: 60_000 } as const

interface Sequenced {
  action: Action
  orderType: OrderType
  timeInForce: TimeInForce
  target?: Target | null
}

const direction = (action: Action): 'long' | 'short' =>
  action === 'openLong' || action === 'closeLong' ? 'long' : 'short'

const endsAtOnce = (signal: Sequenced): boolean =>
  signal.orderType === 'market' || signal.timeInForce === 'ioc' || signal.timeInForce === 'fok'

/**
 * The event of `earlier` that `later`, accepted after it, waits for; null for independent signals.
 * - A reversal waits for the close's end: brokers reject an order across zero.
 * - A close after an open of its direction, and an open after an opposite open, wait for an end that comes at once,
 * else for the sending.
 * - A close or open after a close of its direction waits for the sending, to see the shares that it holds.
 * - A close does not wait for an opposite open. Opens of one direction are independent.
 * - A target waits for the sending of all earlier signals; later ones wait for its sending, or for both halves across
 * zero.
 */
export function dependence(earlier: Sequenced, later: Sequenced): Dependence | null {
  if (later.target != null) return 'sent'
  // Its other half follows.
  if (goesAcross(earlier)) return 'ended'
  return ofSteps(earlier, later) ?? (earlier.target != null ? 'sent' : null)
}

function ofSteps(earlier: Sequenced, later: Sequenced): Dependence | null {
  const same = direction(earlier.action) === direction(later.action)
  if (isOpening(earlier.action)) {
    if (same === isOpening(later.action)) return null
    return endsAtOnce(earlier) ? 'ended' : 'sent'
  }
  if (!isOpening(later.action)) return same ? 'sent' : null
  return same ? 'sent' : 'ended'
}
