import fc from 'fast-check'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  type Broker,
  type FillListing,
} from '#brokers/port.ts'

/** Requests that an odd answer may be for. */
const ASKED = {
  'an order': ['submitOrder'],
  'a cancel': ['cancelOrder'],
  'a change': ['changeOrder'],
  'an order by its id': ['findOrder', 'getOrder'],
  'the list of orders': ['listOrders'],
  'the account': ['getAccount'],
  'the positions': ['listPositions', 'getPosition'],
  'the executions': ['listFills'],
  'the calendar': ['listSessions', 'getClock'],
  'the asset': ['getAsset'],
  'a price': ['getLastPrice', 'getQuotes'],
} as const satisfies Record<string, readonly (keyof Broker)[]>

/** How the next requests of a kind are answered. */
export interface OddAnswer {
  asked: keyof typeof ASKED
  answer: 'not carried out' | 'carried out, and not answered' | 'busy' | 'the keys are refused' | 'none'
  times: number
}

export const anyOddAnswer: fc.Arbitrary<OddAnswer> = fc.record({
  asked: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('an order' as const, 'the positions' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ASKED) as OddAnswer['asked'][])) },
  ),
  answer: fc.constantFrom(
    'not carried out',
    'carried out, and not answered',
    'busy',
    'the keys are refused',
    'none',
  ),
  times: fc.constantFrom(1, 1, 2, 3),
})

const NO_FILLS: FillListing = { fills: [], fees: [], until: null, hasMore: false }

/** What a broker says that knows of nothing. */
function nothingFor(method: keyof Broker): unknown {
  if (method === 'submitOrder') throw new BrokerRejection('INVALID_ORDER', 'not found', 404)
  if (method === 'cancelOrder' || method === 'changeOrder') return 'not_found'
  if (method === 'listFills') return NO_FILLS
  if (method.startsWith('list') || method === 'getQuotes') return []
  if (method === 'getAccount' || method === 'getClock') throw new BrokerOutcomeUnknown('an empty answer')
  return null
}

/** A broker that answers oddly while `odd` says so; answers that were given are taken off it. */
export const oddly = (broker: Broker, odd: OddAnswer[]): Broker =>
  new Proxy(broker, {
    get(real, name: keyof Broker) {
      const method = real[name] as ((...given: unknown[]) => unknown) | undefined
      if (typeof method !== 'function') return method
      return async (...given: unknown[]) => {
        const one = odd.find(({ asked }) => (ASKED[asked] as readonly string[]).includes(name))
        if (!one) return method.apply(real, given)
        one.times -= 1
        if (one.times === 0) odd.splice(odd.indexOf(one), 1)
        if (one.answer === 'busy') throw new BrokerBusy('too many requests', 2_000)
        if (one.answer === 'the keys are refused') throw new BrokerCredentialsError('not authorized')
        if (one.answer === 'none') return nothingFor(name)
        if (one.answer === 'carried out, and not answered') await method.apply(real, given)
        throw new BrokerOutcomeUnknown('no answer in time')
      }
    },
  })

/** Whether a broker has said so, and nothing else is wrong. */
export const isOfBroker = (error: unknown): boolean =>
  error instanceof BrokerOutcomeUnknown ||
  error instanceof BrokerBusy ||
  error instanceof BrokerCredentialsError
