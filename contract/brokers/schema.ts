import { MAX_CONNECTIONS, brokerTypes, type BrokerType } from '#domain/broker-types.ts'
import { z } from 'zod'
import { fault, validationError, type Fault } from '../errors.ts'
import { paging } from '../values/query.ts'
import { lineOfText, oneOf, trueOrFalse, wholeNumber } from '../values/values.ts'

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
