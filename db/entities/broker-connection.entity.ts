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
    /** When the broker last answered; null when it never did. */
    lastCheckedAt: p.datetime().nullable(),
    /** When the status became error; null while it is connected. */
    failingSince: p.datetime().nullable(),
    /** Since when the broker has left requests or pings without an answer; null while it answers. */
    unansweredSince: p.datetime().nullable(),
    /** Set when its owner has removed it: it is shown nowhere, and its accounts are not active. */
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type BrokerConnection = InferEntity<typeof BrokerConnection>
