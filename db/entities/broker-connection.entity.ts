import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** A user's connection to a broker; its id is the `brokerId` of its accounts. */
export const BrokerConnection = defineEntity({
  name: 'BrokerConnection',
  tableName: 'broker_connections',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    brokerType: p.text(),
    name: p.text(),
    baseUrl: p.text(),
    /** See credentials.ts. Null once it is deleted. */
    sealedCredentials: p.text().nullable().hidden(),
    status: p.text().$type<'connected' | 'error'>(),
    /** Why the status is error, in words for the owner. */
    statusDetail: p.text().nullable(),
    /** When the broker was last asked something; null when it never was. */
    lastCheckedAt: p.datetime().nullable(),
    /** When the status became error; null while it is connected. */
    failingSince: p.datetime().nullable(),
    /** Set when its owner has removed it: it is shown nowhere, and its accounts are not active. */
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type BrokerConnection = InferEntity<typeof BrokerConnection>
