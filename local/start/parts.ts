import { join } from 'node:path'
import { PROJECT } from '#config/source-hash.ts'
import { compiledOnce } from '../servers/program-source.ts'
import {
  requireOk,
  requireExternalDatabase,
  requireExternalTemporal,
  requireExternalVenue,
  waitForParts,
} from './external-parts.ts'
import { type ProcessSpec, ProcessNotReadyError } from '../processes/managed-process.ts'
import { randomInt } from 'node:crypto'
import { mailboxAddress, readOrMakeMailboxSecret } from '#api/mail/mailbox-page.ts'
import { isOnThisMachine } from '#api/http/server.ts'
import { apiSettings, keySettings, readSettings, workerSettings, type LocalSettings } from '#config/env.ts'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { migrate } from '#db/engine/migrate.ts'
import { recordRestoration } from '../backup/restoration.ts'
import type { DataFolder } from './data-folder.ts'
import { ensureDemo, type DemoCredentials } from './demo.ts'
import { findFreePort } from './ports.ts'
import { preparePostgres } from '../servers/postgres.ts'
import type { Keeper } from './keeper-link.ts'
import type { Secrets } from './secrets.ts'
import { ensureServiceDatabase } from '../servers/service-database.ts'
import type { Report, StepResult } from './steps.ts'
import { findTemporalBinaryFor } from '../servers/temporal-binary.ts'
import { temporalServer } from '../servers/temporal-server.ts'
import type { UiAddress } from '../servers/ui-gate.ts'
import { ensureWebApp } from '../servers/web-app.ts'
import { ensureWorkflowBundle } from '../servers/workflow-bundle.ts'

/** Module that Node loads into every thread of a process with workflows, before its own code. */
const WITH_WORKFLOWS = `--import=${new URL('../../config/workflow-threads.ts', import.meta.url).href}`
/**
 * Megabytes for new objects, three times in each thread; Node's default is 16. `--expose-gc` is for
 * config/idle-collection.ts.
 */
const FLAGS = {
  api: ['--max-semi-space-size=2', '--expose-gc', WITH_WORKFLOWS],
  venue: ['--max-semi-space-size=1'],
  worker: ['--max-semi-space-size=2', WITH_WORKFLOWS],
}
/** Settings with which glibc returns memory, instead of an arena for each thread. */
const SMALL_HEAP = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

export type OwnProcess = {
  name: string
  room: 'api' | 'venue' | 'worker'
  settings: Readonly<Record<string, string>>
  /** Address that answers 2xx once it works. */
  healthUrl: string
  logFolder: string
  graceMs: number
}

export function ownProcess(own: OwnProcess): ProcessSpec {
  const { name, room, settings, healthUrl, logFolder, graceMs } = own
  const logFile = join(logFolder, `${room}.log`)
  return {
    name,
    command: process.execPath,
    // node:sqlite announces itself as experimental at every start.
    args: ['--disable-warning=ExperimentalWarning', ...FLAGS[room], join(PROJECT, room, 'main.ts')],
    env: {
      ...compiledOnce(),
      ...SMALL_HEAP,
      ...process.env,
      LOG_FORMAT: 'json',
      LOG_FILE: logFile,
      ...settings,
    },
    logFile,
    keepsItsLogShort: true,
    ready: () => requireOk(healthUrl),
    readyTimeoutMs: 60_000,
    graceMs,
  }
}

export type LocalRun = {
  settings: LocalSettings
  folder: DataFolder
  secrets: Secrets
  keeper: Keeper
}

/** Connections to PostgreSQL for the API's trading, and again for its worker: each takes up to 10 MB there. */
const POOL_OF_ONE_MACHINE = '6'

export type Connections = { DATABASE_URL: string; TEMPORAL_ADDRESS: string; VENUE_URL: string }

/** Starts PostgreSQL unless one is given. Returns the address of the service's database. */
export async function startPostgres(run: LocalRun, report: Report): Promise<StepResult<string>> {
  const { DATABASE_URL, POSTGRES_PORT } = run.settings
  if (DATABASE_URL) {
    await requireExternalDatabase(DATABASE_URL)
    return { outcome: DATABASE_URL, detail: `your own at ${new URL(DATABASE_URL).host}` }
  }
  report('starting')
  const server = { port: POSTGRES_PORT, password: run.secrets.postgresPassword }
  const logFile = `${run.folder.logs}/postgres.log`
  const spec = await preparePostgres({ ...server, folder: run.folder.postgres, logFile })
  await run.keeper.keep({ ...spec, port: server.port })
  const url = await ensureServiceDatabase(server, run.secrets.databasePassword, 'durable_trader')
  return { outcome: url, detail: `port ${server.port}` }
}

/** Migrates the schema and records a restoration. Returns the same address. */
export async function migrateSchema(
  run: LocalRun,
  databaseUrl: string,
  report: Report,
): Promise<StepResult<string>> {
  report('migrating')
  const { applied } = await migrate(databaseUrl)
  const detail = applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`
  const restoredTo = run.settings.DATABASE_URL ? null : await recordRestoration(run.folder, databaseUrl)
  return {
    outcome: databaseUrl,
    detail: restoredTo === null ? detail : `${detail}, restored to the state of ${restoredTo}`,
  }
}

/** Starts a Temporal server unless one is given. Returns its address. */
export async function startTemporal(run: LocalRun, report: Report): Promise<StepResult<string>> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PORT, TEMPORAL_UI_PORT } = run.settings
  const { TEMPORAL_NAMESPACE, TEMPORAL_TLS, TEMPORAL_API_KEY } = readSettings(workerSettings)
  if (TEMPORAL_ADDRESS) {
    await requireExternalTemporal({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_TLS, TEMPORAL_API_KEY })
    return { outcome: TEMPORAL_ADDRESS, detail: `your own at ${TEMPORAL_ADDRESS}` }
  }
  const { path: binary, origin } = await findTemporalBinaryFor(
    run.folder.temporalDatabase,
    programSource(run, report),
  )
  report('starting')
  const codecEndpoint = await startCodecEndpoint(run)
  const ui = await hiddenAddress()
  await run.keeper.serveUi(TEMPORAL_UI_PORT, ui)
  const spec = temporalServer({
    binary,
    port: TEMPORAL_PORT,
    ui,
    codecEndpoint,
    namespace: TEMPORAL_NAMESPACE,
    databaseFile: run.folder.temporalDatabase,
    logFile: `${run.folder.logs}/temporal.log`,
  })
  await run.keeper.keep({ ...spec, port: TEMPORAL_PORT })
  const detail = `port ${TEMPORAL_PORT}, UI ${TEMPORAL_UI_PORT}, program ${origin}`
  return { outcome: `127.0.0.1:${TEMPORAL_PORT}`, detail }
}

/** An address that a page in a browser cannot guess: on Linux one of millions of this machine's. */
async function hiddenAddress(): Promise<UiAddress> {
  const byte = () => randomInt(1, 255)
  const host = process.platform === 'linux' ? `127.${byte()}.${byte()}.${byte()}` : '127.0.0.1'
  return { host, port: await findFreePort(host) }
}

/** Returns the address of the endpoint; undefined without encryption. */
async function startCodecEndpoint(run: LocalRun): Promise<string | undefined> {
  const { TEMPORAL_UI_PORT, CODEC_PORT } = run.settings
  if (readSettings(workerSettings).TEMPORAL_ENCRYPTION === 'off') return undefined
  const origins = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${TEMPORAL_UI_PORT}`)
  const { KEY_FILE } = await keysOfInstallation(run)
  return run.keeper.serveCodec({ host: '127.0.0.1', port: CODEC_PORT, origins }, KEY_FILE)
}

/** Starts the paper venue unless one is given. Returns its address. */
export async function startVenue(run: LocalRun, report: Report): Promise<StepResult<string>> {
  if (run.settings.VENUE_URL) {
    const given = run.settings.VENUE_URL.replace(/\/$/, '')
    await requireExternalVenue(given)
    return { outcome: given, detail: `your own at ${given}` }
  }
  report('starting')
  const url = `http://127.0.0.1:${run.settings.VENUE_PORT}`
  const { venueKeyId, venueSecretKey, venueControlSecret } = venueKeys(run)
  await run.keeper.keep({
    port: run.settings.VENUE_PORT,
    ...ownProcess({
      name: 'Paper venue',
      room: 'venue',
      settings: {
        VENUE_HOST: '127.0.0.1',
        VENUE_PORT: String(run.settings.VENUE_PORT),
        VENUE_DATA: run.folder.venueLedger,
        VENUE_KEY_ID: venueKeyId,
        VENUE_SECRET_KEY: venueSecretKey,
        VENUE_CONTROL_SECRET: venueControlSecret,
      },
      healthUrl: `${url}/venue/health`,
      logFolder: run.folder.logs,
      graceMs: 10_000,
    }),
  })
  return { outcome: url, detail: `port ${run.settings.VENUE_PORT}` }
}

export async function prepareWorkflowBundle(run: LocalRun, report: Report): Promise<StepResult<string>> {
  const given = run.settings.WORKFLOW_BUNDLE
  if (given) return { outcome: given, detail: given }
  const { file, isNew } = await ensureWorkflowBundle(run.folder.workflowBundles, programSource(run, report))
  return { outcome: file, detail: isNew ? 'built' : 'unchanged' }
}

/** Whether the API serves the web app, and otherwise why not and what to do. */
export type WebAppAnswer = { isServed: true } | { isServed: false; why: string }

/** A failed build prevents no start: signals and exits work without the web app. */
export async function prepareWebApp(
  { folder, keeper }: { folder: DataFolder; keeper: Pick<Keeper, 'record'> },
  report: Report,
  project?: string,
): Promise<StepResult<WebAppAnswer>> {
  try {
    const state = await ensureWebApp({ record: keeper.record, logFolder: folder.logs, report }, project)
    if (state !== 'absent') return { outcome: { isServed: true }, detail: state }
    const why = 'not installed: npm ci brings the packages that build it'
    return { outcome: { isServed: false, why }, detail: why }
  } catch (error) {
    if (!(error instanceof ProcessNotReadyError)) throw error
    const why = `could not be built, see ${error.logFile}; npm run build:web tries again`
    return { outcome: { isServed: false, why }, detail: why }
  }
}

export async function openDemoAccount(
  run: LocalRun,
  { databaseUrl, venueUrl }: { databaseUrl: string; venueUrl: string },
  report: Report,
): Promise<StepResult<{ credentials: DemoCredentials; isNew: boolean }>> {
  report('opening')
  const { KEY_FILE } = await keysOfInstallation(run)
  const demo = await ensureDemo({
    databaseUrl,
    secretKeys: keysFor(await readKeyRing(KEY_FILE, false), 'stored-secrets'),
    credentialsFile: run.folder.demoCredentials,
    addresses: {
      apiUrl: `${apiAddress(run)}/api/v1`,
      webUrl: webAddress(run),
      temporalUiUrl: temporalUiAddress(run),
      venueUrl,
      portBase: run.settings.PORT_BASE,
    },
    venueKeys: venueKeys(run),
  })
  return { outcome: demo, detail: demo.isNew ? 'opened' : 'kept' }
}

/** Starts the API, and waits until it sees all parts. Returns the mailbox's address; null for none. */
export async function startApi(
  run: LocalRun,
  connections: Connections & { WORKFLOW_BUNDLE: string },
  report: Report,
): Promise<StepResult<string | null>> {
  report('starting')
  const { API_PORT, API_METRICS_PORT, EMBEDDED_WORKER_METRICS_PORT } = run.settings
  const { SMTP_URL, BROKER_REQUEST_TIMEOUT } = readSettings(apiSettings)
  const PUBLIC_URL = webAddress(run)
  await run.keeper.keep({
    port: API_PORT,
    ...ownProcess({
      name: 'API',
      room: 'api',
      settings: {
        ...connections,
        ...(await keysOfInstallation(run)),
        API_PORT: String(API_PORT),
        API_METRICS_PORT: String(API_METRICS_PORT),
        EMBEDDED_WORKER_METRICS_PORT: String(EMBEDDED_WORKER_METRICS_PORT),
        MAILBOX_FILE: run.folder.mailbox,
        PUBLIC_URL,
        EMBEDDED_WORKER: 'on',
        DATABASE_POOL_SIZE: process.env['DATABASE_POOL_SIZE'] || POOL_OF_ONE_MACHINE,
        ...controlOfVenue(run),
        // The operator of another server names its UI.
        ...(run.settings.TEMPORAL_ADDRESS === undefined && { TEMPORAL_UI_URL: temporalUiAddress(run) }),
      },
      healthUrl: `${apiAddress(run)}/healthz`,
      logFolder: run.folder.logs,
      // Broker calls in flight may finish.
      graceMs: BROKER_REQUEST_TIMEOUT + 15_000,
    }),
  })
  report('waiting until it sees every part')
  await waitForParts(`${apiAddress(run)}/readyz`, 60_000)
  const hasMailbox = SMTP_URL === undefined && isOnThisMachine(PUBLIC_URL)
  const mailbox = hasMailbox
    ? mailboxAddress(apiAddress(run), await readOrMakeMailboxSecret(run.folder.mailbox))
    : null
  return { outcome: mailbox, detail: apiAddress(run) }
}

/** Key file of every part; created in the data folder if absent. */
async function keysOfInstallation(run: LocalRun): Promise<{ KEY_FILE: string }> {
  const { KEY_FILE } = readSettings(keySettings)
  if (KEY_FILE === undefined) await readKeyRing(run.folder.keys, true)
  return { KEY_FILE: KEY_FILE ?? run.folder.keys }
}

const apiAddress = (run: LocalRun) => `http://127.0.0.1:${run.settings.API_PORT}`
/** Address of the web app: pages at other addresses are denied. */
const webAddress = (run: LocalRun) => readSettings(apiSettings).PUBLIC_URL ?? apiAddress(run)
const temporalUiAddress = (run: LocalRun) => `http://127.0.0.1:${run.settings.TEMPORAL_UI_PORT}`
const programSource = (run: LocalRun, report: Report) => ({
  record: run.keeper.record,
  logFolder: run.folder.logs,
  report,
})
/** Secret of the venue's control API: our own, or the given one for another venue. */
const controlOfVenue = (run: LocalRun) => {
  const { VENUE_URL: isElsewhere, VENUE_CONTROL_SECRET: given } = run.settings
  const secret = given ?? (isElsewhere === undefined ? venueKeys(run).venueControlSecret : undefined)
  return secret === undefined ? {} : { VENUE_CONTROL_SECRET: secret }
}
const venueKeys = ({ settings, secrets }: LocalRun) => ({
  venueKeyId: settings.VENUE_KEY_ID ?? secrets.venueKeyId,
  venueSecretKey: settings.VENUE_SECRET_KEY ?? secrets.venueSecretKey,
  venueControlSecret: settings.VENUE_CONTROL_SECRET ?? secrets.venueControlSecret,
})
