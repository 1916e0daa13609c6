import { TIMES_IN_FORCE } from '#domain/order.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { restrictionsAnswer } from '../accounts/answers.ts'
import type { BrokerType } from '#domain/broker-types.ts'

const brokerAnswer = z
  .strictObject({
    id: z.uuid(),
    brokerType: z.string().describe('One of GET /brokers/types'),
    name: z.string(),
    status: z
      .enum(['connected', 'error'])
      .describe('error while the broker rejects the keys, or has given no answer for a minute'),
    statusDetail: z.string().nullable().describe('Why the status is error'),
    lastCheckedAt: z.iso.datetime().nullable().describe('When the broker last answered'),
    failingSince: z.iso.datetime().nullable().describe('When the status became error; null while connected'),
    unansweredSince: z.iso
      .datetime()
      .nullable()
      .describe('Since when the broker has left what it is asked without an answer; null while it answers'),
    accounts: z.array(
      z.strictObject({
        id: z.uuid(),
        brokerAccountId: z.string(),
        name: z.string(),
        isDemo: z.boolean().describe('Trades on paper'),
        isPrimary: z.boolean(),
        restrictions: restrictionsAnswer,
        lastSyncedAt: z.iso.datetime().nullable(),
      }),
    ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'BrokerConnection' })

const brokerTypeAnswer = z
  .strictObject({
    type: z.string(),
    name: z.string(),
    credentials: z.array(
      z.strictObject({
        key: z.string().describe('Its name in `credentials`'),
        label: z.string(),
        hint: z.string().describe('What it looks like, and where its owner finds it'),
        isSecret: z.boolean(),
      }),
    ),
    offersDemo: z.boolean(),
    offersLive: z.boolean(),
    opensAccounts: z.boolean().describe('POST /brokers/paper-account opens one'),
    capabilities: z.strictObject({
      timesInForce: z.array(z.enum(TIMES_IN_FORCE)).describe('Enforced by the broker; others are emulated'),
      fractionalShares: z.boolean(),
      assetLookup: z.boolean(),
      protects: z
        .strictObject({ stops: z.boolean(), oco: z.boolean(), trailing: z.boolean() })
        .describe(
          'The orders of exit plans that it keeps: stops, a target with a stop, a stop that follows the price',
        ),
      calendarZone: z.string().describe('The zone of its sessions'),
    }),
  })
  .meta({ id: 'BrokerType' })

export const brokerListAnswer = z.strictObject({ brokers: z.array(brokerAnswer), ...pagingAnswer })
export const brokerDetailAnswer = z.strictObject({ broker: brokerAnswer })
export const brokerTypesAnswer = z.strictObject({ types: z.array(brokerTypeAnswer) })
export const brokerRemovedAnswer = z.strictObject({ message: z.string() })

export type BrokerAnswer = z.output<typeof brokerAnswer>
export type BrokerTypeAnswer = z.output<typeof brokerTypeAnswer>

export const presentBrokerType = (
  { type, name, credentials, baseUrls, capabilities }: BrokerType,
  opensPaperAccounts: boolean,
): BrokerTypeAnswer => ({
  type,
  name,
  credentials: credentials.map(({ key, label, hint, isSecret }) => ({ key, label, hint, isSecret })),
  offersDemo: baseUrls.demo !== null,
  offersLive: baseUrls.live !== null,
  opensAccounts: type === 'paper' && opensPaperAccounts,
  capabilities: { ...capabilities, timesInForce: [...capabilities.timesInForce] },
})
