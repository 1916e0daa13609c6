import { compare, divideDown, isZero } from '#domain/money/decimal.ts'
import { assetIdOf } from '../assets.ts'
import type { VenueOrder } from '../ledger/orders.ts'

const SHOWN_AVERAGE_PLACES = 6

/** Numbers are strings, absent values null. */
export function presentOrder(order: VenueOrder) {
  return {
    id: order.id,
    client_order_id: order.clientOrderId,
    created_at: instantText(order.createdAt),
    updated_at: instantText(order.updatedAt),
    submitted_at: instantText(order.createdAt),
    filled_at: nullableInstantText(order.filledAt),
    expired_at: nullableInstantText(order.expiredAt),
    canceled_at: nullableInstantText(order.canceledAt),
    failed_at: nullableInstantText(order.failedAt),
    replaced_at: nullableInstantText(order.replacedAt),
    replaced_by: order.replacedBy,
    replaces: order.replaces,
    asset_id: assetIdOf(order.symbol),
    symbol: order.symbol,
    asset_class: 'us_equity',
    notional: order.notional,
    qty: order.qty,
    filled_qty: order.filledQty,
    filled_avg_price: averageFillPrice(order),
    order_class: order.orderClass,
    order_type: order.type,
    type: order.type,
    side: order.side,
    position_intent: order.positionIntent,
    time_in_force: order.timeInForce,
    limit_price: order.limitPrice,
    stop_price: order.stopPrice,
    status: order.status,
    extended_hours: order.extendedHours,
    legs: null,
    trail_percent: order.trailPercent,
    trail_price: order.trailPrice,
    hwm: order.hwm,
    subtag: null,
    source: null,
    expires_at: instantText(order.expiresAt),
    ...(order.status === 'rejected' && order.rejectReason !== null && { reject_reason: order.rejectReason }),
  }
}

export const presentNested = (order: VenueOrder, legs: readonly VenueOrder[] | null) => ({
  ...presentOrder(order),
  legs: legs && legs.map(presentOrder),
})

const averageFillPrice = ({ filledQty, filledValue }: VenueOrder): string | null =>
  isZero(filledQty) || compare(filledValue, '0') === 0
    ? null
    : divideDown(filledValue, filledQty, SHOWN_AVERAGE_PLACES)

/** Epoch milliseconds as ISO 8601 in UTC. */
export const instantText = (instant: number): string => new Date(instant).toISOString()

const nullableInstantText = (instant: number | null): string | null =>
  instant === null ? null : instantText(instant)
