import type { OrderCosts } from '#domain/buying-power.ts'
import type { TimeInForce } from '#domain/order.ts'
import type { BrokerKeeping } from '#domain/protection.ts'
import { connectAlpaca } from './alpaca/broker.ts'
import { ALPACA_ZONE } from './alpaca/sessions.ts'
import type { Broker, BrokerConnectionSettings } from './port.ts'

/** A kind of broker that accounts can be connected to. */
export interface BrokerType {
  type: string
  /** As people know it. */
  name: string
  /** The fields that {@link BrokerConnectionSettings.credentials} must hold. */
  credentials: readonly CredentialField[]
  /** Where its Trading API is found, per kind of account; null when it has none of that kind. */
  baseUrls: { demo: string | null; live: string | null }
  /** Requests a minute that it allows a connection; null where only its answers tell. */
  requestsPerMinute: number | null
  orderCosts: OrderCosts
  capabilities: BrokerCapabilities
}

interface CredentialField {
  key: string
  label: string
  /** The look of the field, and the place where its owner finds it. */
  hint: string
  /** Never shown again once it is stored. */
  isSecret: boolean
}

interface BrokerCapabilities {
  /** The times in force that the broker itself enforces; of the others only good till a date is emulated. */
  timesInForce: readonly TimeInForce[]
  /** Takes parts of a share for the assets that allow it. */
  fractionalShares: boolean
  /** Can tell what an asset is and whether it may be traded. */
  assetLookup: boolean
  /** Orders of exit plans that it keeps by itself. */
  protects: BrokerKeeping
  /** The zone of its sessions. */
  calendarZone: string
}

const alpacaKeys = ({ keyId, secretKey }: { keyId: string; secretKey: string }): CredentialField[] => [
  { key: 'keyId', label: 'API key ID', hint: keyId, isSecret: false },
  { key: 'secretKey', label: 'API secret key', hint: secretKey, isSecret: true },
]

const alpacaCapabilities: BrokerCapabilities = {
  timesInForce: ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok'],
  fractionalShares: true,
  assetLookup: true,
  protects: { stops: true, oco: true, trailing: true },
  calendarZone: ALPACA_ZONE,
}

/** A market order is taken as a limit order at the ask and 5 % more, which holds so much of the buying power. */
const alpacaCosts: OrderCosts = { leastPartialOrder: '1', shortAboveAsk: '3', room: '5' }

/** The catalogue: every kind of broker, what it needs and what it can do. */
export const brokerTypes: readonly BrokerType[] = [
  {
    type: 'paper',
    name: 'Paper venue',
    credentials: alpacaKeys({
      keyId: 'Of an account at the venue: venueKeyId in the file demo-credentials.json that npm start writes',
      secretKey: 'venueSecretKey in the same file',
    }),
    baseUrls: { demo: 'http://127.0.0.1:3100', live: null },
    requestsPerMinute: null,
    // The venue holds the ask itself, which moves by a few cents while an order is on its way.
    orderCosts: { ...alpacaCosts, room: '0.5' },
    capabilities: alpacaCapabilities,
  },
  {
    type: 'alpaca',
    name: 'Alpaca',
    credentials: alpacaKeys({
      keyId:
        'In Alpaca’s dashboard under API Keys, of the account that you connect: paper and live have keys of their own',
      secretKey: 'Alpaca shows it once, when the key is made; a lost one is replaced by a new pair',
    }),
    baseUrls: { demo: 'https://paper-api.alpaca.markets', live: 'https://api.alpaca.markets' },
    requestsPerMinute: 200,
    orderCosts: alpacaCosts,
    capabilities: alpacaCapabilities,
  },
]

/** The paper venue speaks Alpaca's Trading API, so that paper and real orders take the same code. */
const ADAPTERS: ReadonlyMap<string, (settings: BrokerConnectionSettings) => Broker> = new Map([
  ['paper', connectAlpaca],
  ['alpaca', connectAlpaca],
])

/** The catalogue's entry of a type. Throws a RangeError when there is none. */
export function describeBrokerType(type: string): BrokerType {
  const found = brokerTypes.find((candidate) => candidate.type === type)
  if (!found) throw unknownType(type)
  return found
}

/** Requests a minute that brokers of a type allow a connection; null where only their answers tell. */
export const requestsPerMinute = (type: string): number | null => describeBrokerType(type).requestsPerMinute

/**
 * The broker behind a connection. Makes no request and holds nothing open. Throws a RangeError for a type
 * that is not in the catalogue, a TypeError for an address that cannot be used, and
 * `BrokerCredentialsError` for credentials that cannot be right.
 */
export function connectBroker(settings: BrokerConnectionSettings): Broker {
  const connect = ADAPTERS.get(settings.brokerType)
  if (!connect) throw unknownType(settings.brokerType)
  return connect(settings)
}

const unknownType = (type: string) => new RangeError(`There is no broker type ${JSON.stringify(type)}`)
