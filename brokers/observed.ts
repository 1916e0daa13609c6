import type { IncomingHttpHeaders } from 'node:http'
import type { Broker, BrokerConnectionSettings } from './port.ts'

export interface BrokerRequest {
  brokerType: string
  /** HTTP status, or `none` without a usable answer. */
  outcome: string
  seconds: number
  /** Part of a minute's requests, from 0 to 1; null where the broker does not say. */
  budgetUsed: number | null
  /** Seconds, to half a second; null without the broker's time. */
  clockDifference: number | null
}

export const observedBroker =
  (
    connect: (settings: BrokerConnectionSettings) => Broker,
    observe: (request: BrokerRequest) => void,
  ): ((settings: BrokerConnectionSettings) => Broker) =>
  (settings) =>
    connect({
      ...settings,
      afterRequest: (outcome, seconds, headers) =>
        observe({
          brokerType: settings.brokerType,
          outcome,
          seconds,
          budgetUsed: budgetUsed(headers),
          clockDifference: clockDifference(headers, seconds, Date.now()),
        }),
    })

function budgetUsed(headers: IncomingHttpHeaders): number | null {
  const limit = Number(headers['x-ratelimit-limit'])
  const remaining = Number(headers['x-ratelimit-remaining'])
  return limit > 0 && remaining >= 0 ? Math.max(0, 1 - remaining / limit) : null
}

/** The header names a whole second, which began half a second before on average. */
function clockDifference({ date }: IncomingHttpHeaders, seconds: number, now: number): number | null {
  const told = Date.parse(date ?? '')
  return Number.isNaN(told) ? null : Math.abs(told + 500 - (now - seconds * 500)) / 1_000
}
