import type { LedgerRole } from '#domain/signal/by-hand.ts'
import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Distance } from '#domain/exit/protection.ts'
import type { OrderSide, OrderStatus, AnyOrderType, TimeInForce } from '#domain/order/order.ts'

export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid(),
    signalId: p.uuid(),
    role: p.text().$type<LedgerRole>(),
    clientOrderId: p.text(),
    /** Null until the broker accepts a manual order. */
    brokerOrderId: p.text().nullable(),
    symbol: p.text(),
    side: p.text().$type<OrderSide>(),
    orderType: p.text().$type<AnyOrderType>(),
    quantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    limitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    stopPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    /** Stop limit of an OCO. */
    stopLimitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    trail: p.json<Distance>().nullable(),
    timeInForce: p.text().$type<TimeInForce>(),
    /** Only for gtd. */
    expiresAt: p.datetime().nullable(),
    extendedHours: p.boolean(),
    status: p.text().$type<OrderStatus>(),
    filledQuantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    avgFillPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    reason: p.text().nullable(),
    /** Instant of the send permit; null where unknown. */
    sentAt: p.datetime().nullable(),
    /** First known at the broker, by our clock; null for manual orders. */
    acknowledgedAt: p.datetime().nullable(),
    /** By the broker's clock. */
    submittedAt: p.datetime(),
    filledAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    endAcknowledgedAt: p.datetime().nullable(),
    /** Instant since which the broker has not shown it; null once it does. */
    unconfirmedSince: p.datetime().nullable(),
    /** Guards concurrent writers. */
    revision: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Order = InferEntity<typeof Order>
