import { compare, isPositive } from '#domain/decimal.ts'
import type { OrderStatus } from '#domain/order.ts'
import { BrokerOutcomeUnknown } from '../port.ts'
import type { AlpacaStatus, WireOrder } from './wire.ts'

type WireState = Pick<WireOrder, 'status' | 'qty' | 'filled_qty' | 'time_in_force' | 'cancel_requested_at'>

const working = ({ filled_qty }: WireState): OrderStatus =>
  isPositive(filled_qty) ? 'PARTIALLY_FILLED' : 'OPEN'

/**
 * Alpaca's "canceled" covers two ends. FIX 4.4 (tag 39, value C) calls an order that its own time in force
 * ended Expired, except that immediate-or-cancel and fill-or-kill remainders are Canceled. Alpaca reports
 * resting orders that ran out as "expired" itself, so what remains to be told apart is what an auction
 * leaves: it is EXPIRED unless a request to cancel is on record. Where one channel knows of that request
 * and the other does not, CANCELLED outranks EXPIRED when reports are merged.
 */
const canceled = ({ time_in_force, cancel_requested_at }: WireState): OrderStatus =>
  (time_in_force === 'opg' || time_in_force === 'cls') && !cancel_requested_at ? 'EXPIRED' : 'CANCELLED'

/** What each of Alpaca's statuses means to us. */
const STATUS: Record<Exclude<AlpacaStatus, 'replaced'>, OrderStatus | ((order: WireState) => OrderStatus)> = {
  accepted: 'PENDING',
  pending_new: 'PENDING',
  accepted_for_bidding: 'PENDING',
  held: 'PENDING',
  new: working,
  partially_filled: 'PARTIALLY_FILLED',
  pending_cancel: working,
  pending_replace: working,
  stopped: working,
  suspended: working,
  // It goes on trading on the next day.
  done_for_day: working,
  calculated: (order) => (compare(order.filled_qty, order.qty) >= 0 ? 'FILLED' : working(order)),
  filled: 'FILLED',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
  canceled,
}

/**
 * Where an order stands in our words. A replaced order lives on in its successor, whose status counts:
 * throws {@link BrokerOutcomeUnknown} when asked about the replaced one itself.
 */
export function orderStatus(order: WireState): OrderStatus {
  if (order.status === 'replaced') throw new BrokerOutcomeUnknown('An order was replaced by an unnamed other')
  const status = STATUS[order.status]
  return typeof status === 'function' ? status(order) : status
}
