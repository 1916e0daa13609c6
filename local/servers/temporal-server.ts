import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Connection } from '@temporalio/client'
import { connectionOptions, type TemporalSettings } from '#config/temporal-address.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import type { ProcessSpec } from '../processes/managed-process.ts'
import type { UiAddress } from './ui-gate.ts'

/**
 * The server polls its queues every 50 ms and keeps SQLite's defaults; so tuned, a workflow answers in 20 to 40 ms
 * instead of 250.
 */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=500',
  'history.timerProcessorMaxPollRPS=500',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
  // Most workflows in memory, enough for concurrent changes; the default keeps 128,000 for an hour.
  'history.hostLevelCacheMaxSize=512',
  // The server's HTTP interface has no authentication, and pages in a browser could reach it. This name never resolves.
  'frontend.httpAllowedHosts=["closed.invalid"]',
]
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL']

export type TemporalServerOptions = {
  binary: string
  port: number
  /** Port of its metrics; undefined: a free port. */
  metricsPort?: number
  /** Address of the web UI, which admits every caller; undefined: no UI. */
  ui: UiAddress | undefined
  /** Address at which the UI has payloads decrypted; undefined: they stay encrypted. */
  codecEndpoint?: string | undefined
  namespace: string
  /** Absolute path of its database; undefined: in memory. */
  databaseFile: string | undefined
  logFile: string
}

/** Tuned development server on 127.0.0.1 with our search attributes. */
export function temporalServer(options: TemporalServerOptions): ProcessSpec {
  const { binary, port, metricsPort, ui, codecEndpoint, namespace, databaseFile, logFile } = options
  if (databaseFile) mkdirSync(dirname(databaseFile), { recursive: true })
  const each = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value])
  const where = ['--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace]
  return {
    name: 'Temporal',
    command: binary,
    // Go collects garbage when the heap has grown by 40 %.
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

/** Throws unless a Temporal server with the namespace answers there. */
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
