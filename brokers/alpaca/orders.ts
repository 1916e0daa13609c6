import type { OrderReport, OrderRequest, OrderSide, AnyOrderType, OrderStatus } from '#domain/order.ts'
import type { Distance } from '#domain/protection.ts'
import type { WireOrder, AlpacaStatus } from './wire.ts'
import { compare, isPositive } from '#domain/decimal.ts'
import { BrokerOutcomeUnknown } from '../port.ts'

type WireState = Pick<WireOrder, 'status' | 'qty' | 'filled_qty' | 'time_in_force' | 'cancel_requested_at'>

const working = ({ filled_qty }: WireState): OrderStatus =>
  isPositive(filled_qty) ? 'PARTIALLY_FILLED' : 'OPEN'

/**
 * Alpaca's "canceled" covers two ends. In FIX 4.4 (tag 39, value C) an order that its time in force ended is
 * Expired, but for ioc and fok remainders. Alpaca reports resting orders as "expired" itself; the remainder of
 * an auction is EXPIRED unless a request to cancel is on record. CANCELLED outranks EXPIRED when reports are
 * merged.
 */
const canceled = ({ time_in_force, cancel_requested_at }: WireState): OrderStatus =>
  (time_in_force === 'opg' || time_in_force === 'cls') && !cancel_requested_at ? 'EXPIRED' : 'CANCELLED'

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
  // The order goes on trading on the next day.
  done_for_day: working,
  calculated: (order) => (compare(order.filled_qty, order.qty) >= 0 ? 'FILLED' : working(order)),
  filled: 'FILLED',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
  canceled,
}

/** Throws {@link BrokerOutcomeUnknown} for a replaced order: the status of its successor counts. */
export function orderStatus(order: WireState): OrderStatus {
  if (order.status === 'replaced') throw new BrokerOutcomeUnknown('An order was replaced by an unnamed other')
  const status = STATUS[order.status]
  return typeof status === 'function' ? status(order) : status
}

const SIDE_TO_WIRE = {
  BUY: { side: 'buy', position_intent: 'buy_to_open' },
  SELL: { side: 'sell', position_intent: 'sell_to_close' },
  SELL_SHORT: { side: 'sell', position_intent: 'sell_to_open' },
  BUY_TO_COVER: { side: 'buy', position_intent: 'buy_to_close' },
} as const satisfies Record<OrderSide, Pick<WireOrder, 'side' | 'position_intent'>>

/** Without an intent an opening buy or a closing sale is assumed. */
const SIDE_FROM_WIRE = {
  buy_to_open: 'BUY',
  sell_to_close: 'SELL',
  sell_to_open: 'SELL_SHORT',
  buy_to_close: 'BUY_TO_COVER',
  buy: 'BUY',
  sell: 'SELL',
} as const satisfies Record<string, OrderSide>

const TYPE_TO_WIRE = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stopLimit: 'stop_limit',
  oco: 'limit',
  trailingStop: 'trailing_stop',
} as const satisfies Record<AnyOrderType, string>

const TYPE_FROM_WIRE = {
  market: 'market',
  limit: 'limit',
  stop: 'stop',
  stop_limit: 'stopLimit',
  trailing_stop: 'trailingStop',
} as const satisfies Record<WireOrder['type'], AnyOrderType>

/** The intent makes Alpaca reject a flip of the position. Throws a TypeError for gtd: the workflow emulates it. */
export function submissionBody(request: OrderRequest): string {
  if (request.timeInForce === 'gtd') throw new TypeError('Alpaca has no gtd: send gtc and cancel it in time')
  return JSON.stringify({
    client_order_id: request.clientOrderId,
    symbol: request.symbol,
    qty: request.quantity,
    type: TYPE_TO_WIRE[request.orderType],
    time_in_force: request.timeInForce,
    ...(request.orderType === 'oco' ? pairOf(request) : pricesOf(request)),
    extended_hours: request.extendedHours || undefined,
    ...SIDE_TO_WIRE[request.side],
  })
}

const pricesOf = ({ limitPrice, stopPrice, trail }: OrderRequest) => ({
  limit_price: limitPrice ?? undefined,
  stop_price: stopPrice ?? undefined,
  ...(trail && ('percent' in trail ? { trail_percent: trail.percent } : { trail_price: trail.amount })),
})

const pairOf = ({ limitPrice, stopPrice, stopLimitPrice }: OrderRequest) => ({
  order_class: 'oco',
  take_profit: { limit_price: limitPrice },
  stop_loss: { stop_price: stopPrice, limit_price: stopLimitPrice ?? undefined },
})

export interface Origin {
  clientOrderId: string
  submittedAt: string
}

export const ownOrigin = (order: WireOrder): Origin => ({
  clientOrderId: order.client_order_id,
  submittedAt: order.submitted_at ?? order.created_at,
})

export const orderReport = (order: WireOrder, origin = ownOrigin(order)): OrderReport => ({
  brokerOrderId: order.id,
  clientOrderId: origin.clientOrderId,
  symbol: order.symbol,
  side: SIDE_FROM_WIRE[order.position_intent ?? order.side],
  quantity: order.qty,
  orderType: TYPE_FROM_WIRE[order.type],
  limitPrice: order.limit_price,
  // That of a trailing stop follows the market.
  stopPrice: order.type === 'trailing_stop' ? null : order.stop_price,
  ...(order.type === 'trailing_stop' && { trail: trailOf(order) }),
  timeInForce: order.time_in_force,
  extendedHours: order.extended_hours,
  status: orderStatus(order),
  filledQuantity: order.filled_qty,
  avgFillPrice: order.filled_avg_price,
  reason: order.reject_reason ?? null,
  submittedAt: origin.submittedAt,
  filledAt: order.filled_at,
  endedAt: endOf(order),
  ...(order.updated_at && { changedAt: order.updated_at }),
})

function trailOf({ id, trail_percent: percent, trail_price: amount }: WireOrder): Distance {
  if (percent) return { percent }
  if (amount) return { amount }
  throw new BrokerOutcomeUnknown(`The broker's trailing stop ${id} has no trail`)
}

/** Alpaca gives each kind of end a field of its own; a cancelled order that had filled in part has two. */
export function endOf(order: WireOrder): string | null {
  const { canceled_at, expired_at, failed_at, filled_at, status } = order
  return canceled_at ?? expired_at ?? failed_at ?? (status === 'filled' ? filled_at : null)
}
