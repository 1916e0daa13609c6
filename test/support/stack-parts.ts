import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKeyRing } from '#config/key-ring.ts'
import type { ProcessSpec } from '#local/processes/managed-process.ts'
import { ownProcess } from '#local/start/parts.ts'
import { postgresUrl, preparePostgres } from '#local/servers/postgres.ts'
import type { RunRecord } from '#local/processes/run-record.ts'
import { serviceUrl } from '#local/servers/service-database.ts'
import { temporalServer } from '#local/servers/temporal-server.ts'
import { findLastingPort } from './lasting-port.ts'
import { Part, type Settings } from './part.ts'
import { workflowBundle } from './workflow-bundle.ts'
import { tool } from './tools.ts'

export const PART_NAMES = ['postgres', 'temporal', 'venue', 'worker', 'api'] as const
export type PartName = (typeof PART_NAMES)[number]

/** Settings of single parts beside those that the stack gives them. */
export interface StackOptions {
  api?: Settings
  /** Null: no worker of its own, as in the default installation, where the API has one. */
  worker?: Settings | null
  venue?: Settings
  /** PostgreSQL's own, as `name: value`. By default data need not survive a power cut, but does survive a kill. */
  postgres?: Settings
}

const POSTGRES_FOR_TESTS: Settings = { fsync: 'off', full_page_writes: 'off' }
const TASK_QUEUE = 'signals'

/** Where the parts of a stack listen. */
export interface Addresses {
  /** Origins, such as http://127.0.0.1:3000. */
  api: string
  venue: string
  /** The worker's Prometheus page. */
  metrics: string
  /** The API's Prometheus page. */
  apiMetrics: string
  /** The same of the worker in the API's process. */
  embeddedWorkerMetrics: string
  /** The worker's /healthz and /readyz. */
  workerHealth: string
  /** host:port */
  temporal: string
  /** The Temporal server's Prometheus page. */
  temporalMetrics: string
  /** postgresql://... */
  database: string
  /** The same as PostgreSQL's own user. */
  databaseAdmin: string
}

/** What a stack decides before anything is started. */
export interface StackPlan {
  folder: string
  logFolder: string
  /** The worker's is that of its metrics. */
  ports: Record<
    PartName | 'workerHealth' | 'apiMetrics' | 'embeddedWorkerMetrics' | 'temporalMetrics',
    number
  >
  postgresPassword: string
  databasePassword: string
  /** The installation's keys. */
  keyFile: string
  venueKeyId: string
  venueSecretKey: string
  venueControlSecret: string
  addresses: Addresses
}

/** Dollars that an account opens with: enough for any number of signals, so that a refusal is always meant. */
export const VENUE_CASH = 1_000_000_000

/** Keys of a new account at the venue. */
export const newVenueKeys = (): Pick<StackPlan, 'venueKeyId' | 'venueSecretKey'> => ({
  venueKeyId: `PK${randomBytes(9).toString('hex').toUpperCase()}`,
  venueSecretKey: randomBytes(30).toString('base64url'),
})

/** Finds ports and makes up secrets. */
export async function levelsOfSignal(folder: string): Promise<StackPlan> {
  const ports = {
    postgres: await findLastingPort(),
    temporal: await findLastingPort(),
    temporalMetrics: await findLastingPort(),
    venue: await findLastingPort(),
    worker: await findLastingPort(),
    workerHealth: await findLastingPort(),
    apiMetrics: await findLastingPort(),
    embeddedWorkerMetrics: await findLastingPort(),
    api: await findLastingPort(),
  }
  const postgresPassword = randomBytes(12).toString('hex')
  const databasePassword = randomBytes(12).toString('hex')
  return {
    folder,
    logFolder: join(folder, 'logs'),
    ports,
    postgresPassword,
    databasePassword,
    keyFile: join(folder, 'keys.json'),
    ...newVenueKeys(),
    venueControlSecret: randomBytes(30).toString('base64url'),
    addresses: {
      api: `http://127.0.0.1:${ports.api}`,
      venue: `http://127.0.0.1:${ports.venue}`,
      metrics: `http://127.0.0.1:${ports.worker}`,
      apiMetrics: `http://127.0.0.1:${ports.apiMetrics}`,
      embeddedWorkerMetrics: `http://127.0.0.1:${ports.embeddedWorkerMetrics}`,
      workerHealth: `http://127.0.0.1:${ports.workerHealth}`,
      temporal: `127.0.0.1:${ports.temporal}`,
      temporalMetrics: `http://127.0.0.1:${ports.temporalMetrics}`,
      database: serviceUrl(ports.postgres, databasePassword, 'durable_trader'),
      databaseAdmin: postgresUrl({ port: ports.postgres, password: postgresPassword }, 'durable_trader'),
    },
  }
}

/** How each part is started, and another worker or API beside the first. */
export interface PlannedParts {
  parts: Record<PartName, Part>
  anotherWorker: (number: number) => Promise<Part>
  /** With its origin. */
  anotherApi: (number: number) => Promise<{ part: Part; origin: string }>
}

/** Nothing runs yet. */
export async function partsOf(
  plan: StackPlan,
  options: StackOptions,
  record: RunRecord,
): Promise<PlannedParts> {
  const { folder, logFolder, ports, addresses } = plan
  await readKeyRing(plan.keyFile, true)
  const bundleFile = join(folder, 'workflows.js')
  const [postgres, binary, bundle] = await Promise.all([
    preparePostgres({
      folder: join(folder, 'postgres'),
      port: ports.postgres,
      password: plan.postgresPassword,
      logFile: join(logFolder, 'postgres.log'),
      settings: { ...POSTGRES_FOR_TESTS, ...options.postgres },
    }),
    tool('temporal'),
    workflowBundle(),
  ])
  writeFileSync(bundleFile, bundle.code)
  const temporal = temporalServer({
    binary,
    port: ports.temporal,
    metricsPort: ports.temporalMetrics,
    ui: undefined,
    namespace: 'default',
    databaseFile: join(folder, 'temporal', 'temporal.sqlite'),
    logFile: join(logFolder, 'temporal.log'),
  })
  const connections = {
    DATABASE_URL: addresses.database,
    TEMPORAL_ADDRESS: addresses.temporal,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TASK_QUEUE: TASK_QUEUE,
    VENUE_URL: addresses.venue,
    KEY_FILE: plan.keyFile,
  }
  const own =
    (room: 'api' | 'venue' | 'worker', usual: Settings, health: string, logs = logFolder) =>
    (settings: Settings) =>
      ownProcess({
        name: room,
        room,
        settings: { ...usual, ...options[room], ...settings },
        healthUrl: health,
        logFolder: logs,
        graceMs: 15_000,
      })
  const venue = own(
    'venue',
    {
      VENUE_PORT: String(ports.venue),
      VENUE_DATA: join(folder, 'venue.sqlite'),
      VENUE_KEY_ID: plan.venueKeyId,
      VENUE_SECRET_KEY: plan.venueSecretKey,
      VENUE_CONTROL_SECRET: plan.venueControlSecret,
      VENUE_CASH: String(VENUE_CASH),
    },
    `${addresses.venue}/venue/health`,
  )
  const workerOn = (name: string, port: number, healthPort: number, logs = logFolder): Part => {
    const metrics = `http://127.0.0.1:${port}`
    const settings = {
      ...connections,
      WORKFLOW_BUNDLE: bundleFile,
      METRICS_PORT: String(port),
      WORKER_HEALTH_PORT: String(healthPort),
    }
    const worker = own('worker', settings, `http://127.0.0.1:${healthPort}/readyz`, logs)
    return new Part(name, (more) => pollingWorker(worker(more), metrics), record)
  }
  const apiOn = (port: number, metrics: number, workerMetrics: number, logs = logFolder) =>
    own(
      'api',
      {
        ...connections,
        API_PORT: String(port),
        API_METRICS_PORT: String(metrics),
        EMBEDDED_WORKER_METRICS_PORT: String(workerMetrics),
        WORKFLOW_BUNDLE: bundleFile,
        MAILBOX_FILE: join(folder, 'mailbox.jsonl'),
        VENUE_CONTROL_SECRET: plan.venueControlSecret,
        // Tests send more from one machine than one person may.
        RATE_LIMITS: 'off',
      },
      `http://127.0.0.1:${port}/healthz`,
      logs,
    )
  const logsOfAnother = (name: string): string => {
    const logs = join(logFolder, name)
    mkdirSync(logs)
    return logs
  }
  return {
    parts: {
      postgres: new Part('postgres', () => postgres, record),
      temporal: new Part('temporal', () => temporal, record),
      venue: new Part('venue', venue, record),
      worker: workerOn('worker', ports.worker, ports.workerHealth),
      api: new Part('api', apiOn(ports.api, ports.apiMetrics, ports.embeddedWorkerMetrics), record),
    },
    anotherWorker: async (number) => {
      const name = `worker-${number}`
      return workerOn(name, await findLastingPort(), await findLastingPort(), logsOfAnother(name))
    },
    anotherApi: async (number) => {
      const name = `api-${number}`
      const port = await findLastingPort()
      const api = apiOn(port, await findLastingPort(), await findLastingPort(), logsOfAnother(name))
      return { part: new Part(name, api, record), origin: `http://127.0.0.1:${port}` }
    },
  }
}

/**
 * The worker's page is up before it asks Temporal for work; a test that has just restarted it means a worker
 * that works.
 */
function pollingWorker(spec: ProcessSpec, metricsUrl: string): ProcessSpec {
  return {
    ...spec,
    ready: () => assertPolls(metricsUrl),
  }
}

/** Throws unless the worker whose page this is asks Temporal for work. */
export async function assertPolls(metricsUrl: string): Promise<void> {
  const page = await (await fetch(`${metricsUrl}/metrics`, { signal: AbortSignal.timeout(2_000) })).text()
  if (!/^temporal_num_pollers\{.*workflow_task.*\} [1-9]/m.test(page)) throw new Error('it does not poll yet')
}
