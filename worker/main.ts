import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { createAccountSyncActivities } from '#activities/account-sync.ts'
import { createSnapshotActivities } from '#activities/balance-snapshots.ts'
import { createActivities } from '#activities/index.ts'
import { OrdersInFlight } from '#activities/orders-in-flight.ts'
import { observedBroker } from '#brokers/observed.ts'
import { connectBroker } from '#brokers/registry.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { readSettings, SettingsError, workerSettings } from '#config/env.ts'
import { keysFor, openKeyRing } from '#config/key-ring.ts'
import { createLogger, type Logger } from '#config/logger.ts'
import { connectionOptions, payloadConversion } from '#config/temporal.ts'
import { sealPlainCredentials } from '#db/brokers/credentials.ts'
import { requireOrdinaryUser, UnsafeDatabaseUser } from '#db/engine/database-user.ts'
import { openDatabase } from '#db/engine/database.ts'
import { poolUse } from '#db/engine/pool-use.ts'
import { recordSyncInterval } from '#db/watch/due-work.ts'
import { requireKnownKeys, WrongKeys } from '#db/brokers/key-checks.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { addressedActivities, alertsOfUntrusted } from './untrusted-messages.ts'
import { bundleWorkflows } from './bundle.ts'
import { FailingWorkflows } from './failing-workflows.ts'
import { followBrokers } from './feed/broker-feed.ts'
import { RequestedSyncs } from './feed/requested-sync.ts'
import { workflowAnnouncer } from './feed/workflow-announcer.ts'
import { serveHealth } from './health-server.ts'
import { Heartbeat } from './heartbeat.ts'
import { createWorkerMetrics, NAMING } from './metrics.ts'
import { ensureSchedules, keepSchedules, schedules } from './schedules.ts'
import { registerSearchAttributes } from './search-attributes.ts'
import { startSequencingNotifier } from './sequencing-notifier.ts'

async function main(): Promise<void> {
  const settings = readSettings(workerSettings)
  const log = createLogger('worker', settings)
  const failing = new FailingWorkflows()
  installRuntime(settings, log, failing)
  const metrics = createWorkerMetrics(Runtime.instance().metricMeter)
  let heartbeat: Heartbeat | null = null
  const health = await serveHealth(
    { host: settings.METRICS_HOST, port: settings.WORKER_HEALTH_PORT },
    () => heartbeat?.parts ?? null,
  )
  const keyRing = await openKeyRing(settings, (error) =>
    log.error({ err: error }, 'the changed key file cannot be used; the keys known so far stay in use'),
  )
  const secretKeys = keysFor(keyRing, 'stored-secrets')
  const dataConverter = payloadConversion(settings, keyRing, 'worker')

  const database = await openDatabase(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE)
  metrics.followPool(() => poolUse(database))
  await requireOrdinaryUser(database.em.fork())
  await requireKnownKeys(database.em, keysFor(keyRing, 'key-check'))
  const newlySealed = await sealPlainCredentials(database.em.fork(), secretKeys)
  if (newlySealed > 0) log.info({ connections: newlySealed }, 'credentials of an older version were sealed')
  await recordSyncInterval(database.em.fork(), settings.ACCOUNT_SYNC_INTERVAL)
  const connection = await NativeConnection.connect(connectionOptions(settings))
  const client = new Client({
    connection: await Connection.connect(connectionOptions(settings)),
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: payloadConversion(settings, keyRing, 'client'),
    interceptors: { workflow: [addressMessages(randomUUID)] },
  })
  await registerSearchAttributes(client, settings.TEMPORAL_NAMESPACE)
  const wanted = schedules(settings)
  try {
    await ensureSchedules(client, settings.TEMPORAL_TASK_QUEUE, wanted)
  } catch (error) {
    // Orders and exits must not wait for what is done by the clock.
    log.error({ err: error }, 'the schedules could not be brought up to date')
  }

  const bundle = settings.WORKFLOW_BUNDLE
  if (bundle !== undefined && !existsSync(bundle))
    throw new SettingsError(`WORKFLOW_BUNDLE: there is no file ${bundle}; build it with npm run bundle`)
  const brokerAccess = {
    em: database.em,
    secretKeys,
    connectBroker: observedBroker(connectBroker, metrics.observeBrokerRequest),
    requestTimeoutMs: settings.BROKER_REQUEST_TIMEOUT,
  }
  const inFlight = new OrdersInFlight()
  const announcer = workflowAnnouncer(client, settings.TEMPORAL_TASK_QUEUE)
  const syncs = new RequestedSyncs({ ...brokerAccess, announcer, log })
  const worker = await Worker.create({
    connection,
    namespace: settings.TEMPORAL_NAMESPACE,
    taskQueue: settings.TEMPORAL_TASK_QUEUE,
    dataConverter,
    workflowBundle: bundle === undefined ? await bundleWorkflows() : { codePath: bundle },
    activities: {
      ...createActivities({ ...brokerAccess, inFlight, liveTrading: settings.LIVE_TRADING === 'enabled' }),
      ...createSnapshotActivities(brokerAccess),
      ...createAccountSyncActivities({
        em: database.em,
        syncAccount: (accountId) => syncs.sync(accountId),
      }),
    },
    interceptors: { activity: [addressedActivities] },
    sinks: alertsOfUntrusted({ em: database.em, log }),
    // A deploy lets broker calls in flight finish instead of cutting them in the middle.
    shutdownGraceTime: settings.BROKER_REQUEST_TIMEOUT + 2_000,
    // A worker that died is found out when a task waits this long in its private queue.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    maxCachedWorkflows: 2_000,
  })

  heartbeat = new Heartbeat({
    em: database.em,
    taskQueue: settings.TEMPORAL_TASK_QUEUE,
    buildId: BUILD_ID,
    isPolling: () => worker.getState() === 'RUNNING',
    checkTemporal: () =>
      client.connection.withDeadline(Date.now() + 1_000, async () => {
        await client.connection.workflowService.getSystemInfo({})
      }),
    log,
  })
  const feedStop = new AbortController()
  const feed = followBrokers(
    {
      ...brokerAccess,
      announcer,
      pollEvery: settings.BROKER_POLL_INTERVAL,
      fleet: heartbeat,
      inFlight,
      log,
    },
    feedStop.signal,
  )
  // A feed that ends by itself would let fills go unnoticed: better no worker than a deaf one.
  feed.then(
    () => feedStop.signal.aborted || fail(log, new Error('the broker feed ended')),
    (error: unknown) => fail(log, error),
  )
  const restore = async (): Promise<void> => {
    await registerSearchAttributes(client, settings.TEMPORAL_NAMESPACE)
    await ensureSchedules(client, settings.TEMPORAL_TASK_QUEUE, wanted)
  }
  const notifier = startSequencingNotifier({
    databaseUrl: settings.DATABASE_URL,
    em: database.em,
    notify: (signalId) => announcer.earlierSignalChanged(signalId),
    log,
  })
  log.info({ taskQueue: settings.TEMPORAL_TASK_QUEUE, buildId: BUILD_ID }, 'worker polls')
  const stop = new AbortController()
  const beside = [
    heartbeat.run(stop.signal),
    failing.run({ em: database.em, taskQueue: settings.TEMPORAL_TASK_QUEUE, log }, stop.signal),
    keepSchedules(client, wanted, restore, { log, signal: stop.signal }),
  ]
  await worker.run()
  stop.abort()
  feedStop.abort()
  await Promise.all([feed, notifier.stop(), ...beside])
  metrics.stop()
  await health.stop()
  await client.connection.close()
  await connection.close()
  await database.close(true)
  log.info('worker stopped')
}

/** Temporal's own log lines go to ours, its metrics to a Prometheus page. */
function installRuntime(
  settings: { METRICS_HOST: string; METRICS_PORT: number },
  log: Logger,
  failing: FailingWorkflows,
): void {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta: { error, ...meta } = {} }) => {
      failing.note(message, meta)
      // pino writes an error out in full under this name.
      log[levels[level]](error === undefined ? meta : { ...meta, err: error }, message)
    }),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      metrics: {
        prometheus: { bindAddress: `${settings.METRICS_HOST}:${settings.METRICS_PORT}`, ...NAMING },
      },
    },
    shutdownSignals: ['SIGTERM', 'SIGINT'],
  })
}

function fail(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'the worker cannot go on')
  process.exit(1)
}

try {
  await main()
} catch (error) {
  const isExpected =
    error instanceof SettingsError || error instanceof UnsafeDatabaseUser || error instanceof WrongKeys
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}
