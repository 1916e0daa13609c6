import { connectAlpaca } from './alpaca/broker.ts'
import type { Broker, BrokerConnectionSettings } from './port.ts'
import { unknownType } from '#domain/account/broker-types.ts'

/** The paper venue speaks Alpaca's API, so that paper and real orders take the same code. */
const ADAPTERS: ReadonlyMap<string, (settings: BrokerConnectionSettings) => Broker> = new Map([
  ['paper', connectAlpaca],
  ['alpaca', connectAlpaca],
])

/** Makes no request. Throws a RangeError, a TypeError or `BrokerCredentialsError` for wrong settings. */
export function connectBroker(settings: BrokerConnectionSettings): Broker {
  const connect = ADAPTERS.get(settings.brokerType)
  if (!connect) throw unknownType(settings.brokerType)
  return connect(settings)
}
