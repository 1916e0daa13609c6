import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Connection } from '@temporalio/client'
import { connectionOptions, type TemporalSettings } from '#config/temporal-address.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import type { ProcessSpec } from '../processes/managed-process.ts'
import type { UiAddress } from './ui-gate.ts'

/**
 * The development server polls its queues every 50 ms and keeps SQLite at its defaults; so tuned, a workflow
 * answers in 20 to 40 ms instead of 250.
 */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=500',
  'history.timerProcessorMaxPollRPS=500',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
  // Of workflows in memory, as many as change at a time; 128,000 would be kept for an hour.
  'history.hostLevelCacheMaxSize=512',
  // The server's HTTP interface has no user, and pages in a browser could reach it. This name can never be resolved.
  'frontend.httpAllowedHosts=["closed.invalid"]',
]
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL']

export type TemporalServerOptions = {
  /** The `temporal` program. */
  binary: string
  port: number
  /** Where its metrics are read; undefined: at a port that it finds. */
  metricsPort?: number
  /** Where the web UI listens, which lets in whoever reaches it; undefined: no UI. */
  ui: UiAddress | undefined
  /** Address at which the UI has payloads decrypted; undefined: it shows them encrypted. */
  codecEndpoint?: string | undefined
  /** Made in the server beside `default`, which is always there. */
  namespace: string
  /** Absolute path of its database; undefined: kept in memory. */
  databaseFile: string | undefined
  logFile: string
}

/** How to start a tuned development server on 127.0.0.1 that knows our search attributes. */
export function temporalServer(options: TemporalServerOptions): ProcessSpec {
  const { binary, port, metricsPort, ui, codecEndpoint, namespace, databaseFile, logFile } = options
  if (databaseFile) mkdirSync(dirname(databaseFile), { recursive: true })
  const each = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value])
  const where = ['--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace]
  return {
    name: 'Temporal',
    command: binary,
    // Collects garbage when there is 40 % of it.
    env: { GOGC: '40', ...process.env },
    args: ['server', 'start-dev', '--log-level', 'warn'].concat(
      where,
      metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)],
      ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)],
      codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', codecEndpoint],
      databaseFile ? ['--db-filename', databaseFile, ...each('--sqlite-pragma', SQLITE_PRAGMAS)] : [],
      each('--dynamic-config-value', DYNAMIC_CONFIG),
      each(
        '--search-attribute',
        Object.values(searchAttributes).map(({ name }) => `${name}=Keyword`),
      ),
    ),
    logFile,
    ready: () =>
      requireTemporal({
        TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
        TEMPORAL_NAMESPACE: namespace,
        TEMPORAL_TLS: false,
      }),
    readyTimeoutMs: 60_000,
  }
}

/** Throws unless a Temporal server answers there and has the namespace. */
export async function requireTemporal(
  settings: Omit<TemporalSettings, 'TEMPORAL_TASK_QUEUE'>,
): Promise<void> {
  const connection = await Connection.connect({ ...connectionOptions(settings), connectTimeout: 3_000 })
  try {
    await connection.withDeadline(Date.now() + 3_000, () =>
      connection.workflowService.describeNamespace({ namespace: settings.TEMPORAL_NAMESPACE }),
    )
  } finally {
    await connection.close()
  }
}
