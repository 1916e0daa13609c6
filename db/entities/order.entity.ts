import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/decimal.ts'
import type { Distance } from '#domain/protection.ts'
import type { OrderRole, OrderSide, OrderStatus, AnyOrderType, TimeInForce } from '#domain/order.ts'

/** An order at a broker, as far as its reports have told; or a manual one that is on its way there. */
export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid(),
    signalId: p.uuid().nullable(),
    /** The part that it plays in its signal; `manual` for an order that a person placed. */
    role: p.text().$type<OrderRole | 'manual'>(),
    clientOrderId: p.text(),
    /** Null until the broker has accepted a manual order. */
    brokerOrderId: p.text().nullable(),
    symbol: p.text(),
    side: p.text().$type<OrderSide>(),
    orderType: p.text().$type<AnyOrderType>(),
    quantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    limitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    stopPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    /** Limit of the stop of an oco. */
    stopLimitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    /** Of a trailing stop. */
    trail: p.json<Distance>().nullable(),
    timeInForce: p.text().$type<TimeInForce>(),
    /** Until when it is good; null for every other time in force than gtd. */
    expiresAt: p.datetime().nullable(),
    extendedHours: p.boolean(),
    status: p.text().$type<OrderStatus>(),
    filledQuantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    avgFillPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    reason: p.text().nullable(),
    /** When it was let out to be sent; null for manual orders, and where that was not written down. */
    sentAt: p.datetime().nullable(),
    /** When it was first known, by our clock, that the broker has it; null for manual orders. */
    acknowledgedAt: p.datetime().nullable(),
    /** By the broker's clock. */
    submittedAt: p.datetime(),
    filledAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When the signal's workflow took note of the order's end; null while it has yet to. */
    endAcknowledgedAt: p.datetime().nullable(),
    /** Counts the reports that changed something; guards concurrent writers. */
    revision: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Order = InferEntity<typeof Order>
