import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Manages } from '#domain/signal/manages.ts'
import type { Ask, Origin } from '#domain/signal/origin.ts'
import type { ExitRule, ExitStatus } from '#domain/exit/exit.ts'
import type { OrderType, TimeInForce } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { Action, ExecuteMode, QuantityType, Target, SignalStatus } from '#domain/signal/signal.ts'
import type { DenialCode, StatusReason } from '#domain/risk/denial.ts'

export const Signal = defineEntity({
  name: 'Signal',
  tableName: 'signals',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid(),
    strategyId: p.uuid().nullable(),
    sourceId: p.text().nullable(),
    /** SHA-256 of the normalised body: detects another request with the sourceId. */
    payloadHash: p.text(),
    symbol: p.text(),
    action: p.text().$type<Action>(),
    quantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    quantityType: p.text().$type<QuantityType>(),
    executeMode: p.text().$type<ExecuteMode>(),
    orderType: p.text().$type<OrderType>(),
    limitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    stopPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    timeInForce: p.text().$type<TimeInForce>(),
    expiresAt: p.datetime().nullable(),
    extendedHours: p.boolean(),
    scheduledAt: p.datetime().nullable(),
    validUntil: p.datetime().nullable(),
    timezone: p.text().nullable(),
    exitRule: p.json<ExitRule>().nullable(),
    protection: p.json<Protection>().nullable(),
    metadata: p.json<Record<string, unknown>>().nullable(),
    /** Target position; action, quantity and exit are its decided order's. */
    target: p.json<Target>().nullable(),
    /** The signal continued beyond zero. */
    continues: p.uuid().nullable(),
    manages: p.text().$type<Manages>().nullable(),
    origin: p.text().$type<Origin>(),
    ask: p.json<Ask>().nullable(),
    groupId: p.uuid().nullable(),
    advisories: p.json<{ code: string; message: string }[]>(),

    status: p.text().$type<SignalStatus>(),
    statusReason: p.text().$type<StatusReason>().nullable(),
    statusDetail: p.text().nullable(),
    orderId: p.uuid().nullable(),
    filledQuantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    avgFillPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    exitStatus: p.text().$type<ExitStatus>().nullable(),
    exitSubmitAt: p.datetime().nullable(),
    exitOrderId: p.uuid().nullable(),
    exitReason: p.text().nullable(),

    /** Its rights are checked when the entry is sent; null for a person. */
    tokenId: p.uuid().nullable(),
    sentBy: p.text().nullable(),
    /** Dollars a share when approval was requested; null without. */
    heldPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    decidedBy: p.text().nullable(),
    decidedAt: p.datetime().nullable(),
    /** The last rejected approval, and their number. */
    approvalRefused: p.json<{ code: DenialCode; message: string; at: string; count: number }>().nullable(),
    checkedAt: p.datetime().nullable(),

    acceptedAt: p.datetime(),
    sendBefore: p.datetime().nullable(),
    /** Null until known to run: the supervisor starts it. */
    workflowStartedAt: p.datetime().nullable(),
    updatedAt: p.datetime(),
  },
})
export type Signal = InferEntity<typeof Signal>
