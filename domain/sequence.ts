import { type Action, type Target, goesAcross, isOpening } from './signal.ts'
import type { OrderType, TimeInForce } from './order.ts'

/** The event of an earlier signal for which a later one waits, both of the same account and symbol. */
export type Dependence = 'sent' | 'ended'

/**
 * How long a signal waits for earlier ones at most, in milliseconds, unless its validUntil says otherwise. A close is then
 * sized to the held shares; an opening is not sent any more, because an old one is worse than none.
 */
export const SEQUENCING_TIMEOUT = { opening: 300_000, closing: 60_000 } as const

interface Sequenced {
  action: Action
  orderType: OrderType
  timeInForce: TimeInForce
  /** Null, or left out, for a signal that says a step. */
  target?: Target | null
}

const direction = (action: Action): 'long' | 'short' =>
  action === 'openLong' || action === 'closeLong' ? 'long' : 'short'

/** The order trades or dies at once, so that waiting for its end is never long. */
const endsAtOnce = (signal: Sequenced): boolean =>
  signal.orderType === 'market' || signal.timeInForce === 'ioc' || signal.timeInForce === 'fok'

/**
 * Whether `later` has to wait for `earlier`, both of one account and symbol and accepted in this order, and
 * for what: that its order is with the broker, or that its order has ended. Null: they are independent.
 *
 * - A reversal, closing one direction and opening the other, waits for the close to end, however long it takes:
 *   brokers reject an order that would cross through zero.
 * - A close after an open of its direction, and an open after an open of the other direction, wait for the open to end when
 *   that happens at once; a resting open is waited for only until it has been sent.
 * - A close, or an open, after a close of its direction waits for that to be sent, so that a second close sees what the first
 *   holds, and the first closes nothing that was opened after it.
 * - A close of one direction does not wait for an open of the other: that one waits for it, when it comes in time.
 * - Two opens of one direction are independent.
 * - What a target trades depends on all that is on order, so it waits for the sending of each signal before it: orders that still
 *   work are counted, or make way (`target.ts`). Each signal after it waits for its sending, and for both halves of it where it
 *   goes from one side to the other.
 */
export function dependence(earlier: Sequenced, later: Sequenced): Dependence | null {
  if (later.target != null) return 'sent'
  // Its other half comes next.
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
