import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Runtime } from '@temporalio/worker'
import type { GateWatcher } from '#brokers/gates.ts'
import type { BrokerRequest } from '#brokers/observed.ts'
import { REQUEST_CLASSES } from '#brokers/port.ts'
import { brokerTypes } from '#domain/account/broker-types.ts'
import type { Logger } from '#config/logger.ts'
import { periodically, type Part } from '#config/periodically.ts'
import type { PoolUse } from '#db/engine/pool-use.ts'

const BROKER_REQUEST = 'durable_trader_broker_request_duration_seconds'
const BROKER_BUDGET = 'durable_trader_broker_budget_used_ratio'
/** Seconds, and parts of the whole; the same as the API's. */
const BUCKETS = {
  [BROKER_REQUEST]: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  [BROKER_BUDGET]: [0.1, 0.25, 0.5, 0.75, 0.9, 1],
}
const LOOP_READ_EVERY_MS = 5_000

/** The SDK's own names: with units, in seconds, and counters with `_total`. */
export const NAMING = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
  histogramBucketOverrides: BUCKETS,
}

export interface WorkerMetrics extends Part {
  observeBrokerRequest(request: BrokerRequest): void
  brokerGates: GateWatcher
}

export function createWorkerMetrics(
  meter: Runtime['metricMeter'],
  readPool: () => Promise<PoolUse>,
  log: Logger,
): WorkerMetrics {
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, 'float', undefined, description)
  const gauge = (name: string, description: string) =>
    meter.createGauge(`durable_trader_${name}`, 'float', undefined, description)
  const brokerRequests = histogram(
    BROKER_REQUEST,
    'Requests of this worker to brokers, by kind of broker, and HTTP status or none',
  )
  const budget = histogram(
    BROKER_BUDGET,
    'Part of the requests of its minute that a connection had used after each request, as its broker says',
  )
  const brokerClock = gauge(
    'broker_clock_difference_seconds',
    'By how much the clock of a broker differed from that of this process at its last answer, to half a second',
  )
  const counter = (name: string, description: string) =>
    meter.createCounter(`durable_trader_${name}`, undefined, description)
  const requestsLeft = counter(
    'broker_requests',
    'Requests that this worker sent to brokers, by kind of broker and purpose',
  )
  const requestsHeld = counter(
    'broker_requests_held',
    'Requests to brokers that did not leave this worker, because the limit was reached, or its rest is kept for orders',
  )
  const limitWait = gauge(
    'broker_limit_wait_seconds',
    'How long a broker wanted no request of a connection when its limit was reached last; 0 after it was not any more',
  )
  // A kind of request starts at zero, so that its first increase is seen.
  for (const { type: broker } of brokerTypes) {
    limitWait.set(0, { broker })
    for (const kind of REQUEST_CLASSES)
      for (const why of ['limit', 'budget']) requestsHeld.add(0, { broker, class: kind, why })
  }
  const lag = gauge('event_loop_delay_seconds', 'Longest delay of the event loop within the last seconds')
  const connections = gauge(
    'database_connections',
    'Connections of a pool that are used and idle, and statements that are waiting for one',
  )
  const connectionsLimit = gauge('database_connections_limit', 'Connections of a pool at most')
  const delay = monitorEventLoopDelay({ resolution: 20 })
  const read = async (): Promise<void> => {
    lag.set(delay.max / 1e9)
    delay.reset()
    const { limit, ...states } = await readPool()
    connectionsLimit.set(limit, { pool: 'worker' })
    for (const [state, count] of Object.entries(states)) connections.set(count, { pool: 'worker', state })
  }
  const readings = periodically('metrics', LOOP_READ_EVERY_MS, read, log)
  return {
    observeBrokerRequest({ brokerType: broker, outcome, seconds, budgetUsed, clockDifference }) {
      brokerRequests.record(seconds, { broker, outcome })
      if (budgetUsed !== null) budget.record(budgetUsed, { broker })
      if (clockDifference !== null) brokerClock.set(clockDifference, { broker })
    },
    brokerGates: {
      left: (broker, kind) => requestsLeft.add(1, { broker, class: kind }),
      held: (broker, kind, why) => requestsHeld.add(1, { broker, class: kind, why }),
      waits: (broker, seconds) => limitWait.set(seconds, { broker }),
    },
    start() {
      delay.enable()
      readings.start()
    },
    async stop() {
      await readings.stop()
      delay.disable()
    },
  }
}
