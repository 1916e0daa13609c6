import { MAX_CONNECTIONS, brokerTypes, type BrokerType } from '#domain/account/broker-types.ts'
import { z } from 'zod'
import { fault, validationError, type Fault } from '../errors.ts'
import { paging, pagingAnswer } from '../values/query.ts'
import { lineOfText, oneOf, trueOrFalse, wholeNumber } from '../values/values.ts'
import { TIMES_IN_FORCE } from '#domain/order/order.ts'
import { restrictionsAnswer } from '../account/shapes.ts'

const TYPES = brokerTypes.map(({ type }) => type) as [string, ...string[]]

const credentials = () =>
  z.record(lineOfText(50), lineOfText(512), { error: 'must be an object of keys and their values' })

export const brokerListQuery = z.strictObject(paging)

export const paperAccountQuery = z.strictObject({
  number: wholeNumber(1, MAX_CONNECTIONS)
    .default(1)
    .describe('Which of your own paper accounts, counted from 1: the same number answers the same account'),
})

export const newBroker = {
  brokerType: oneOf(TYPES).describe('One of GET /brokers/types'),
  name: lineOfText(100).optional().describe('The name of the broker without it'),
  isDemo: trueOrFalse()
    .optional()
    .describe('Which of the broker’s addresses the keys are for; needed where it has both'),
  credentials: credentials().describe(
    'The keys that GET /brokers/types lists for the type; never shown again',
  ),
  mayShare: trueOrFalse()
    .optional()
    .describe('Connect it although another user of this service follows the same account'),
}

export const brokerChange = {
  name: lineOfText(100).optional(),
  credentials: credentials().optional().describe('New keys of the same account'),
}

export function demoOrLive({ name, baseUrls }: BrokerType, isDemo: boolean | undefined): 'demo' | 'live' {
  const offered = (['demo', 'live'] as const).filter((kind) => baseUrls[kind] !== null)
  if (isDemo === undefined && offered.length > 1)
    throw validationError([
      fault(['isDemo'], 'required', `isDemo is required: ${name} has demo and live accounts`),
    ])
  const kind = isDemo === undefined ? offered[0]! : isDemo ? 'demo' : 'live'
  if (!offered.includes(kind))
    throw validationError([
      fault(['isDemo'], 'not_offered', `isDemo must be ${!isDemo}: ${name} has no ${kind} accounts`),
    ])
  return kind
}

export function checkCredentials(type: BrokerType, given: Readonly<Record<string, string>>): void {
  const faults: Fault[] = []
  const wanted = type.credentials.map(({ key }) => key)
  for (const key of wanted)
    if (!Object.hasOwn(given, key))
      faults.push(fault(['credentials', key], 'required', `credentials.${key} is required`))
  for (const key of Object.keys(given))
    if (!wanted.includes(key))
      faults.push(
        fault(
          ['credentials', key],
          'unrecognized_key',
          `${JSON.stringify(key)} is not a key of ${type.name}`,
        ),
      )
  if (faults.length > 0) throw validationError(faults)
}

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
      timesInForce: z
        .array(z.enum(TIMES_IN_FORCE))
        .describe('Enforced by the broker; of the others only gtd is emulated'),
      fractionalShares: z.boolean(),
      assetLookup: z.boolean(),
      protects: z
        .strictObject({ stops: z.boolean(), oco: z.boolean(), trailing: z.boolean() })
        .describe(
          'The orders for levels that it keeps: stops, a target with a stop, a stop that follows the price',
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
