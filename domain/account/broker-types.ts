import type { OrderCosts } from '../risk/buying-power.ts'
import type { TimeInForce } from '../order/order.ts'
import type { BrokerKeeping } from '../exit/protection.ts'

/** Limit of a user: each connection holds a stream open in every worker. */
export const MAX_CONNECTIONS = 20

export const ALPACA_ZONE = 'America/New_York'

export interface BrokerType {
  type: string
  name: string
  credentials: readonly CredentialField[]
  /** Of the trading API; null without such accounts. */
  baseUrls: { demo: string | null; live: string | null }
  requestsPerMinute: number | null
  orderCosts: OrderCosts
  capabilities: BrokerCapabilities
}

interface CredentialField {
  key: string
  label: string
  hint: string
  isSecret: boolean
}

interface BrokerCapabilities {
  /** Enforced by the broker; of the others only gtd is emulated. */
  timesInForce: readonly TimeInForce[]
  fractionalShares: boolean
  assetLookup: boolean
  protects: BrokerKeeping
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

/** A market order counts as a limit order at the ask plus 5 %. */
const alpacaCosts: OrderCosts = { leastPartialOrder: '1', shortAboveAsk: '3', room: '5' }

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
    // The venue reserves the ask itself, which moves by a few cents on the way.
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

export function describeBrokerType(type: string): BrokerType {
  const found = brokerTypes.find((candidate) => candidate.type === type)
  if (!found) throw unknownType(type)
  return found
}

export const requestsPerMinute = (type: string): number | null => describeBrokerType(type).requestsPerMinute

export const unknownType = (type: string) => new RangeError(`There is no broker type ${JSON.stringify(type)}`)
