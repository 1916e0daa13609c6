import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Runtime } from '@temporalio/worker'
import type { BrokerRequest } from '#brokers/observed.ts'

const BROKER_REQUEST = 'durable_trader_broker_request_duration_seconds'
/** Seconds; the same as those of the API. */
const BUCKETS = { [BROKER_REQUEST]: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] }
/** Milliseconds over which the delay of the event loop is measured each time. */
const EVERY = 5_000

/** How the SDK's own metrics are named, on whose page ours stand too: with units, in seconds, and counters with `_total`. */
export const NAMING = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
  histogramBucketOverrides: BUCKETS,
}

/** What a worker tells Prometheus beside the SDK's own metrics. */
export interface WorkerMetrics {
  observeBrokerRequest(request: BrokerRequest): void
  stop(): void
}

/** @param meter of the installed runtime */
export function createWorkerMetrics(meter: Runtime['metricMeter']): WorkerMetrics {
  const brokerRequests = meter.createHistogram(
    BROKER_REQUEST,
    'float',
    undefined,
    'Requests of this worker to brokers, by kind of broker, and HTTP status or none',
  )
  const lag = meter.createGauge(
    'durable_trader_event_loop_delay_seconds',
    'float',
    undefined,
    'Longest delay of the event loop within the last seconds',
  )
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const timer = setInterval(() => {
    lag.set(delay.max / 1e9)
    delay.reset()
  }, EVERY).unref()
  return {
    observeBrokerRequest: ({ brokerType, outcome, seconds }) =>
      brokerRequests.record(seconds, { broker: brokerType, outcome }),
    stop() {
      clearInterval(timer)
      delay.disable()
    },
  }
}
