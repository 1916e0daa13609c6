import { DefaultLogger, Runtime } from '@temporalio/worker'
import type { Logger } from '#config/logger.ts'
import type { FailingWorkflows } from './failing-workflows.ts'
import { openMetricsDoor, type MetricsDoor } from './metrics-endpoint.ts'
import { NAMING } from './metrics.ts'

/** How the SDK works in a process; a process has one runtime, whatever workers come and go in it. */
export interface RuntimeOptions {
  /** Where the SDK's metrics and ours are served to Prometheus. */
  metrics: { host: string; port: number }
  log: Logger
  /** Notified of workflows that fail on their code. */
  failing: FailingWorkflows
  /** On these the worker stops in good order. */
  shutdownSignals: NodeJS.Signals[]
}

/**
 * Has Temporal's own log lines go to ours, and its metrics to a Prometheus page. Once in a process. Rejects when the port of the page is
 * taken.
 */
export async function installRuntime({
  metrics,
  log,
  failing,
  shutdownSignals,
}: RuntimeOptions): Promise<MetricsDoor> {
  const door = await openMetricsDoor(metrics)
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta: { error, ...meta } = {} }) => {
      failing.note(message, meta)
      // pino writes an error out in full under this name.
      log[levels[level]](error === undefined ? meta : { ...meta, err: error }, message)
    }),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      metrics: { prometheus: { bindAddress: door.bindAddress, ...NAMING } },
    },
    shutdownSignals,
  })
  return door
}
