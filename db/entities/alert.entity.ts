import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { AlertKind } from '#domain/alert/alert.ts'

export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid().nullable(),
    signalId: p.uuid().nullable(),
    tokenId: p.uuid().nullable(),
    strategyId: p.uuid().nullable(),
    /** Without signal, order and symbol the alert concerns the account. */
    symbol: p.text().nullable(),
    kind: p.text().$type<AlertKind>(),
    message: p.text(),
    data: p.json<Record<string, unknown>>(),
    raisedAt: p.datetime(),
    acknowledgedBy: p.text().nullable(),
    acknowledgedAt: p.datetime().nullable(),
    /** Instant since which its cause is gone; null while present. */
    healthySince: p.datetime().nullable(),
    notifiedAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
  },
})
export type Alert = InferEntity<typeof Alert>
