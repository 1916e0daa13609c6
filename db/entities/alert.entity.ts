import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { AlertKind } from '#domain/alert.ts'

/** Something that may cost the owner of an account money while nobody looks. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Null for an alert about a token or a strategy. */
    accountId: p.uuid().nullable(),
    signalId: p.uuid().nullable(),
    /** The access token, or the hook, that the alert is about. */
    tokenId: p.uuid().nullable(),
    /** The strategy that the alert is about as a whole. */
    strategyId: p.uuid().nullable(),
    /** A manual order. */
    orderId: p.uuid().nullable(),
    /** Of the account. Without a signal, an order and a symbol the alert is about the whole account. */
    symbol: p.text().nullable(),
    kind: p.text().$type<AlertKind>(),
    message: p.text(),
    data: p.json<Record<string, unknown>>(),
    raisedAt: p.datetime(),
    acknowledgedBy: p.text().nullable(),
    acknowledgedAt: p.datetime().nullable(),
    /** Since when its cause, which may be there again in a moment, is gone; null while it is there. */
    goodSince: p.datetime().nullable(),
    /** Null while the alert is open. */
    resolvedAt: p.datetime().nullable(),
  },
})
export type Alert = InferEntity<typeof Alert>
