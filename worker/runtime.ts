import { DefaultLogger, Runtime } from '@temporalio/worker'
import type { Logger } from '#config/logger.ts'
import type { FailingWorkflows } from './failing-workflows.ts'
import { openMetricsDoor, type MetricsDoor } from './metrics-endpoint.ts'
import { NAMING } from './metrics.ts'

/** A process has one runtime for all its workers. */
export interface RuntimeOptions {
  metrics: { host: string; port: number }
  log: Logger
  failing: FailingWorkflows
  /** The worker stops in good order on these. */
  shutdownSignals: NodeJS.Signals[]
}

/**
 * Sends Temporal's log lines to ours, and its metrics to a Prometheus page. Once in a process. Rejects when the port is
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
      // pino writes an error in full under this name.
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
