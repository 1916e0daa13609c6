import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

export const BrokerConnection = defineEntity({
  name: 'BrokerConnection',
  tableName: 'broker_connections',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    brokerType: p.text(),
    name: p.text(),
    baseUrl: p.text(),
    /** Null once removed. */
    sealedCredentials: p.text().nullable().hidden(),
    status: p.text().$type<'connected' | 'error'>(),
    statusDetail: p.text().nullable(),
    lastCheckedAt: p.datetime().nullable(),
    failingSince: p.datetime().nullable(),
    unansweredSince: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type BrokerConnection = InferEntity<typeof BrokerConnection>
