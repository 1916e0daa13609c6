import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Runtime } from '@temporalio/worker'
import { createAccountSyncActivities } from '#activities/accounts/sync.ts'
import { createSnapshotActivities } from '#activities/accounts/balances.ts'
import type { Activities } from '#activities/contract.ts'
import { EntryHandover } from '#activities/handover/entry-handover.ts'
import { createActivities } from '#activities/index.ts'
import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import { observedBroker } from '#brokers/observed.ts'
import { connectBroker, requestsPerMinute } from '#brokers/registry.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { SettingsError, type WorkerSettings } from '#config/env.ts'
import { keysFor, type DatedKeyRing } from '#config/key-ring.ts'
import type { Logger } from '#config/logger.ts'
import { connectionOptions } from '#config/temporal-address.ts'
import { payloadConversion } from '#config/temporal.ts'
import { sealPlainCredentials } from '#db/brokers/credentials.ts'
import { gateExchange } from '#db/brokers/gate-exchange.ts'
import { requireKnownKeys } from '#db/brokers/key-checks.ts'
import { requireOrdinaryUser } from '#db/engine/database-user.ts'
import { openDatabase } from '#db/engine/database.ts'
import { poolUse } from '#db/engine/pool-use.ts'
import { recordSyncInterval } from '#db/watch/due-work.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { bundleWorkflows } from './bundle.ts'
import { deploymentOptions, keepDeployment } from './deployment.ts'
import type { FailingWorkflows } from './failing-workflows.ts'
import { followBrokers } from './feed/broker-feed.ts'
import { reportSlots } from './feed/order-lanes.ts'
import { RequestedSyncs } from './feed/requested-sync.ts'
import { workflowAnnouncer } from './feed/workflow-announcer.ts'
import { Heartbeat, type WorkerParts } from './heartbeat.ts'
import { createWorkerMetrics } from './metrics.ts'
import { ensureSchedules, keepSchedules, schedules } from './schedules.ts'
import { registerSearchAttributes } from './search-attributes.ts'
import { startSequencingNotifier } from './sequencing-notifier.ts'
import { createTaskWorkers } from './task-workers.ts'
import { tracedActivities } from './traced-activities.ts'
import { addressedActivities, alertsOfUntrusted } from './untrusted-messages.ts'

/** What a worker is started with. */
export interface WorkerDependencies {
  settings: WorkerSettings
  keyRing: DatedKeyRing
  /** In the process of an API: where its requests meet the attempts to send their entries. Null elsewhere. */
  requests: EntryHandover | null
  failing: FailingWorkflows
  log: Logger
}

/** A worker that asks for tasks. */
export interface RunningWorker {
  /** On the worker's own connection: what it starts eagerly begins on this worker. */
  client: Client
  /** The activity of that name: makes the attempt to send an entry, or gives the one that is being made. */
  attemptEntry: Activities['attemptEntry']
  /** Which parts have shown within the last seconds that they are there. */
  readonly parts: WorkerParts
  /** Whether it asks for tasks now. */
  readonly isPolling: boolean
  /** Resolves when it has stopped in good order; rejects when it could not go on. */
  ended: Promise<void>
  /** Takes no more tasks, and ends once those that it has are done. */
  stop(): void
}

/** How the workflows get into a worker. Throws {@link SettingsError} when there is no such bundle. */
async function workflowCode(bundle: string | undefined) {
  if (bundle === undefined) return bundleWorkflows()
  if (!existsSync(bundle))
    throw new SettingsError(`WORKFLOW_BUNDLE: there is no file ${bundle}; build it with npm run bundle`)
  return { codePath: bundle }
}

/**
 * Starts a worker: it takes tasks of the queue, follows brokers, and does its share of what is done by the clock. Rejects
 * when PostgreSQL or Temporal does not answer, with nothing left open.
 */
export async function startWorker(deps: WorkerDependencies): Promise<RunningWorker> {
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const each of opened.toReversed())
      await each().catch((error: unknown) =>
        deps.log.warn({ err: error }, 'a connection could not be closed'),
      )
  }
  try {
    return await start(deps, opened, close)
  } catch (error) {
    await close()
    throw error
  }
}

/** @param opened takes what has to be closed, in the order in which it was opened */
async function start(
  { settings, keyRing, requests, failing, log }: WorkerDependencies,
  opened: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<RunningWorker> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = settings
  const secretKeys = keysFor(keyRing, 'stored-secrets')
  const database = await openDatabase(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE)
  opened.push(() => database.close(true))
  await requireOrdinaryUser(database.em.fork())
  await requireKnownKeys(database.em, keysFor(keyRing, 'key-check'))
  const newlySealed = await sealPlainCredentials(database.em.fork(), secretKeys)
  if (newlySealed > 0) log.info({ connections: newlySealed }, 'credentials of an older version were sealed')
  await recordSyncInterval(database.em.fork(), settings.ACCOUNT_SYNC_INTERVAL)

  const connection = await NativeConnection.connect(connectionOptions(settings))
  opened.push(() => connection.close())
  // Instruments belong to the SDK's runtime, which is another one after its last connection was closed.
  const metrics = createWorkerMetrics(Runtime.instance().metricMeter)
  metrics.followPool(() => poolUse(database))
  opened.push(async () => metrics.stop())
  const clientConnection = await Connection.connect(connectionOptions(settings))
  opened.push(() => clientConnection.close())
  const clientOptions = {
    namespace,
    dataConverter: payloadConversion(settings, keyRing, 'client'),
    interceptors: { workflow: [addressMessages(randomUUID)] },
  }
  const client = new Client({ ...clientOptions, connection: clientConnection })
  await registerSearchAttributes(client, namespace)
  const wanted = schedules(settings)
  try {
    await ensureSchedules(client, taskQueue, wanted)
  } catch (error) {
    // Orders and exits must not wait for what is done by the clock.
    log.error({ err: error }, 'the schedules could not be brought up to date')
  }

  const gates = new BrokerGates({
    perMinute: requestsPerMinute,
    exchange: gateExchange(database.em),
    onTrouble: (error) => log.warn({ err: error }, 'requests to brokers are counted by this worker alone'),
    watcher: metrics.brokerGates,
  })
  const brokerAccess = {
    em: database.em,
    secretKeys,
    connectBroker: gatedBroker(observedBroker(connectBroker, metrics.observeBrokerRequest), gates),
    requestTimeoutMs: settings.BROKER_REQUEST_TIMEOUT,
  }
  const handover = requests ?? new EntryHandover()
  const activities = createActivities({
    ...brokerAccess,
    handover,
    liveTrading: settings.LIVE_TRADING === 'enabled',
    maxWaiting: settings.SIGNALS_WAITING_PER_ACCOUNT,
  })
  const announcer = workflowAnnouncer(client, taskQueue)
  const syncs = new RequestedSyncs({ ...brokerAccess, announcer, log })
  const workers = await createTaskWorkers({
    connection,
    namespace,
    taskQueue,
    dataConverter: payloadConversion(settings, keyRing, 'worker'),
    workflowBundle: await workflowCode(settings.WORKFLOW_BUNDLE),
    ...deploymentOptions(settings, database.em, log),
    activities: {
      ...activities,
      ...createSnapshotActivities(brokerAccess),
      ...createAccountSyncActivities({
        em: database.em,
        syncAccount: (accountId) => syncs.sync(accountId),
      }),
    },
    interceptors: { activity: [addressedActivities, tracedActivities] },
    sinks: alertsOfUntrusted({ em: database.em, log }),
    // A deploy lets broker calls in flight finish instead of cutting them in the middle.
    shutdownGraceTime: settings.BROKER_REQUEST_TIMEOUT + 2_000,
    // A worker that died is found out when a task waits this long in its private queue.
    stickyQueueScheduleToStartTimeout: '2 seconds',
  })
  const heartbeat = new Heartbeat({
    em: database.em,
    taskQueue,
    buildId: BUILD_ID,
    inApi: requests !== null,
    isPolling: () => workers.isPolling,
    checkTemporal: () =>
      client.connection.withDeadline(Date.now() + 1_000, async () => {
        await client.connection.workflowService.getSystemInfo({})
      }),
    log,
  })
  const stop = new AbortController()
  const feed = followBrokers(
    {
      ...brokerAccess,
      announcer,
      pollEvery: settings.BROKER_POLL_INTERVAL,
      fleet: heartbeat,
      handover,
      slots: reportSlots(settings.DATABASE_POOL_SIZE),
      log,
    },
    stop.signal,
  )
  // A feed that ends by itself would let fills go unnoticed: better no worker than a deaf one.
  async function follow(): Promise<void> {
    await feed
    if (!stop.signal.aborted) throw new Error('the broker feed ended')
  }
  const following = follow()
  following.catch(() => workers.stop())
  const restore = async (): Promise<void> => {
    await registerSearchAttributes(client, namespace)
    await ensureSchedules(client, taskQueue, wanted)
  }
  const notifier = startSequencingNotifier({
    databaseUrl: settings.DATABASE_URL,
    em: database.em,
    notify: (signalId) => announcer.earlierSignalChanged(signalId),
    log,
  })
  const beside = [
    heartbeat.run(stop.signal),
    failing.run({ em: database.em, taskQueue, log }, stop.signal),
    keepDeployment({ client, em: database.em, settings, log }, stop.signal),
    keepSchedules(client, wanted, restore, { log, signal: stop.signal }),
  ]
  async function run(): Promise<void> {
    try {
      await workers.run()
      stop.abort()
      await following
    } finally {
      stop.abort()
      await Promise.allSettled([feed, notifier.stop(), ...beside])
      await close()
    }
  }
  const ended = run()
  log.info({ taskQueue, buildId: BUILD_ID }, 'worker polls')
  return {
    client: new Client({ ...clientOptions, connection }),
    attemptEntry: activities.attemptEntry,
    get parts() {
      return heartbeat.parts
    },
    get isPolling() {
      return workers.isPolling
    },
    ended,
    stop: () => workers.stop(),
  }
}
