import { join } from 'node:path'
import { readSettings, workerSettings } from '#config/env.ts'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { serveUi } from '#local/servers/ui-gate.ts'
import { ensureAnotherAccount } from '#local/start/demo.ts'
import {
  hiddenAddress,
  keysOfInstallation,
  migrateSchema,
  openDemoAccount,
  prepareWebApp,
  prepareWorkflowBundle,
  programSource,
  startApi,
  startCodecEndpoint,
  startPostgres,
  startVenue,
  startWorker,
  type LocalRun,
} from '#local/start/parts.ts'
import { waitForParts } from '#local/start/external-parts.ts'
import type { Started } from '#local/start/start-up.ts'
import { runSteps, Step, type Report, type StepResult } from '#local/start/steps.ts'
import { balancerProcess } from './balancer-process.ts'
import { written, type Address } from './balancer.ts'
import { planCluster, type ClusterRun, type ClusterStart } from './cluster-run.ts'
import { findClusterPrograms } from './programs.ts'
import { requireHosts, startTemporalNodes, TEMPORAL_NODES, temporalConfigFolder } from './temporal.ts'
import { HISTORY_SHARDS } from './temporal-config.ts'
import { ensureTemporalSchema } from './temporal-schema.ts'
import { temporalUi } from './temporal-ui.ts'

/** What there is to know of a cluster that works. */
export type StartedCluster = Started & {
  /** Of the service's database. */
  databaseUrl: string
  /** Of the proxy before Temporal's frontends. */
  temporalAddress: string
  keyFile: string
  /** The demo user's account at the second venue, and that venue. */
  second: { accountId: string; venueUrl: string; keyId: string }
}

/**
 * Brings up the service as several machines run it, all on this one: one PostgreSQL, seven Temporal processes, and of the
 * service itself two APIs, three workers and two venues, each process supervised by itself. Resolves when the parts work
 * together.
 */
export async function startCluster(start: ClusterStart): Promise<StartedCluster> {
  await requireHosts()
  const cluster = await planCluster(start)
  const { shared, secrets } = cluster
  const namespace = readSettings(workerSettings).TEMPORAL_NAMESPACE

  const postgres = new Step('PostgreSQL', (report) => startPostgres(shared, report))
  const schema = new Step('Schema', async (report) => migrateSchema(shared, await postgres.outcome, report))
  const programs = new Step('Programs of Temporal', async (report) => ({
    outcome: await findClusterPrograms(programSource(shared, report)),
    detail: 'at hand',
  }))
  const temporal = new Step('Temporal', async (report) => {
    const [{ server, sqlTool }] = await Promise.all([programs.outcome, postgres.outcome])
    const password = secrets.temporalPassword
    report('making its tables')
    await ensureTemporalSchema(postgresOf(shared), password, sqlTool)
    const wanted = { server, password, namespace, ports: cluster.ports }
    const outcome = await startTemporalNodes(shared, wanted, report)
    const detail = `${TEMPORAL_NODES.length} processes, ${HISTORY_SHARDS} history shards, frontends at ${written(outcome.frontends)}`
    return { outcome, detail }
  })
  const ui = new Step('Temporal UI', async (report) =>
    startUi(shared, (await programs.outcome).ui, (await temporal.outcome).frontends, report),
  )
  const venues = cluster.venues.map(
    (run) => new Step(`Paper venue ${run.node}`, (report) => startVenue(run, report)),
  )
  const bundle = new Step('Workflow bundle', (report) => prepareWorkflowBundle(shared, report))
  const webApp = new Step('Web app', (report) => prepareWebApp(shared, report))
  const demo = new Step('Demo accounts', async (report) => {
    const [databaseUrl, first, second] = await Promise.all([
      schema.outcome,
      ...venues.map(({ outcome }) => outcome),
    ])
    const opened = await openDemoAccount(shared, { databaseUrl, venueUrl: first! }, report)
    await openSecondAccount(cluster, databaseUrl, second!)
    return opened
  })
  const connections = async () => {
    const [databaseUrl, { frontends }, venueUrl, file] = await Promise.all([
      schema.outcome,
      temporal.outcome,
      venues[0]!.outcome,
      bundle.outcome,
    ])
    return {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: written(frontends),
      VENUE_URL: venueUrl,
      WORKFLOW_BUNDLE: file,
    }
  }
  const workers = cluster.workers.map(
    (run) => new Step(`Worker ${run.node}`, async (report) => startWorker(run, await connections(), report)),
  )
  const apis = cluster.apis.map(
    (run) =>
      new Step(`API ${run.node}`, async (report) => {
        // After the workers, so that it is stopped before them.
        const [found] = await Promise.all([
          connections(),
          webApp.outcome,
          ...workers.map(({ outcome }) => outcome),
        ])
        return startApi(run, found, report)
      }),
  )
  const apiProxy = new Step('API proxy', async (report) => {
    await Promise.all(apis.map(({ outcome }) => outcome))
    return startApiProxy(cluster, report)
  })

  const steps = [postgres, schema, programs, temporal, ui, ...venues, bundle, webApp, demo]
  await runSteps([...steps, ...workers, ...apis, apiProxy], () => shared.supervisor.stop())
  const { credentials, isNew } = await demo.outcome
  return {
    credentials,
    isFirstStart: isNew,
    mailbox: await apis[0]!.outcome,
    webApp: await webApp.outcome,
    databaseUrl: await schema.outcome,
    temporalAddress: written((await temporal.outcome).frontends),
    keyFile: (await keysOfInstallation(shared)).KEY_FILE,
    second: {
      accountId: secrets.secondAccountId,
      venueUrl: await venues[1]!.outcome,
      keyId: secrets.secondKeyId,
    },
  }
}

const postgresOf = ({ settings, secrets }: LocalRun) => ({
  port: settings.POSTGRES_PORT,
  password: secrets.postgresPassword,
})

async function startUi(
  run: LocalRun,
  program: string,
  frontends: Address,
  report: Report,
): Promise<StepResult<undefined>> {
  report('starting')
  const at = await hiddenAddress()
  const { TEMPORAL_UI_PORT } = run.settings
  const codecEndpoint = await startCodecEndpoint(run)
  await serveUi('127.0.0.1', TEMPORAL_UI_PORT, at)
  const [configFolder, logFolder] = [temporalConfigFolder(run), run.folder.logs]
  await run.supervisor.keep(temporalUi({ program, at, frontends, codecEndpoint, configFolder, logFolder }))
  return { outcome: undefined, detail: `port ${TEMPORAL_UI_PORT}` }
}

async function openSecondAccount(
  { shared, secrets }: ClusterRun,
  databaseUrl: string,
  venueUrl: string,
): Promise<void> {
  const { KEY_FILE } = await keysOfInstallation(shared)
  await ensureAnotherAccount(databaseUrl, keysFor(await readKeyRing(KEY_FILE, false), 'stored-secrets'), {
    accountId: secrets.secondAccountId,
    name: 'Second paper',
    venueUrl,
    keyId: secrets.secondKeyId,
    secretKey: secrets.secondSecretKey,
  })
}

async function startApiProxy(
  { shared, apis, apiPort }: ClusterRun,
  report: Report,
): Promise<StepResult<undefined>> {
  report('starting')
  const host = '127.0.0.1'
  await shared.supervisor.keep(
    balancerProcess('API proxy', {
      at: { host, port: apiPort },
      servers: apis.map(({ settings }) => ({ host, port: settings.API_PORT })),
      logFile: join(shared.folder.logs, 'api-proxy.log'),
    }),
  )
  await waitForParts(`http://${host}:${apiPort}/readyz`, 60_000)
  return { outcome: undefined, detail: `http://${host}:${apiPort}` }
}
