import type { Broker, BrokerConnectionSettings } from './port.ts'

/** How a request to a broker went. */
export interface BrokerRequest {
  brokerType: string
  /** HTTP status, or `none` where no usable answer came. */
  outcome: string
  seconds: number
}

/** Connects to brokers and tells of each request. */
export const observedBroker =
  (
    connect: (settings: BrokerConnectionSettings) => Broker,
    observe: (request: BrokerRequest) => void,
  ): ((settings: BrokerConnectionSettings) => Broker) =>
  (settings) =>
    connect({
      ...settings,
      afterRequest: (outcome, seconds) => observe({ brokerType: settings.brokerType, outcome, seconds }),
    })
