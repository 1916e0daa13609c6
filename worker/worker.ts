import { WorkflowNotFoundError, WorkflowUpdateFailedError, Client, Connection } from '@temporalio/client'
import type { EntryStopper } from '#activities/flatten/round.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { cancelOrder } from '#workflows/order/contract.ts'
import { withdrawSignal } from '#workflows/signal/contract.ts'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { NativeConnection, Runtime, type WorkerOptions } from '@temporalio/worker'
import { createAccountSyncActivities } from '#activities/account/sync.ts'
import { createSnapshotActivities } from '#activities/account/balances.ts'
import { HeardFills } from '#activities/order/heard-fills.ts'
import { createActivities } from '#activities/index.ts'
import { createFlattenActivities } from '#activities/flatten/index.ts'
import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import { observedBroker } from '#brokers/observed.ts'
import { connectBroker } from '#brokers/registry.ts'
import { requestsPerMinute } from '#domain/account/broker-types.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { SettingsError, type WorkerSettings } from '#config/env.ts'
import { keysFor, type DatedKeyRing } from '#config/key-ring.ts'
import type { Logger } from '#config/logger.ts'
import { connectionOptions } from '#config/temporal-address.ts'
import { payloadConversion } from '#config/temporal.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import { requireKnownKeys } from '#db/broker/key-checks.ts'
import { requireFitDatabase } from '#db/engine/database-check.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { poolUse } from '#db/engine/pool-use.ts'
import { recordSyncInterval } from '#db/watch/overdue-work.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { bundleWorkflows } from './bundle.ts'
import type { FailingWorkflows } from './failing-workflows.ts'
import { followBrokers } from './feed/broker-feed.ts'
import { reportSlots } from './feed/order-reconciler.ts'
import { RequestedSyncs } from './feed/requested-sync.ts'
import { workflowAnnouncer } from './feed/workflow-announcer.ts'
import { createHeartbeat, type WorkerParts } from './heartbeat.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { scheduleKeeper, schedules } from './schedules.ts'
import { registerSearchAttributes } from './search-attributes.ts'
import { sequencingNotifier } from './sequencing-notifier.ts'
import { createTaskWorkers } from './task-workers.ts'
import { tracedActivities } from './traced-activities.ts'
import { addressedActivities, alertsOfUntrusted } from './untrusted-messages.ts'

/** Milliseconds for a workflow to accept a stop; a failed request is repeated. */
const ASKED_WITHIN = 5_000

function entryStopper(client: Client): EntryStopper {
  /** False where the stop is refused, or unnecessary. */
  const isAdopted = async (ask: () => Promise<unknown>): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + ASKED_WITHIN, ask)
      return true
    } catch (error) {
      const hasEnded = error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError
      if (!hasEnded) throw error
      return false
    }
  }
  return {
    async stop({ signalId, clientOrderId, how }, { by, askId }) {
      const workflow = client.workflow.getHandle(workflowIdFor(signalId))
      const waitForStage = 'ACCEPTED'
      const withdraw = () =>
        workflow.startUpdate(withdrawSignal, {
          updateId: `${askId}-withdraw`,
          args: [{ by }],
          waitForStage,
        })
      const cancel = () =>
        workflow.startUpdate(cancelOrder, { updateId: askId, args: [{ clientOrderId, by }], waitForStage })
      if (how !== 'working' && (await isAdopted(withdraw))) return
      await isAdopted(cancel)
    },
  }
}

export interface WorkerDependencies {
  settings: WorkerSettings
  keyRing: DatedKeyRing
  failing: FailingWorkflows
  log: Logger
}

export interface RunningWorker {
  readonly parts: WorkerParts
  /** Resolves after a stop in good order; rejects when the worker could not continue. */
  ended: Promise<void>
  /** Takes no more tasks, and ends once present ones are done. */
  stop(): void
}

/**
 * Starts a worker, which takes tasks of the queue and follows brokers. Rejects when PostgreSQL or Temporal does not
 * answer, with nothing left open.
 */
export async function startWorker(deps: WorkerDependencies): Promise<RunningWorker> {
  const opened = new AsyncDisposableStack()
  const close = (): Promise<void> =>
    opened
      .disposeAsync()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'a connection could not be closed'))
  try {
    return await start(deps, opened, close)
  } catch (error) {
    await close()
    throw error
  }
}

/** @param opened resources to be closed, in the order in which they were opened */
async function start(
  deps: WorkerDependencies,
  opened: AsyncDisposableStack,
  close: () => Promise<void>,
): Promise<RunningWorker> {
  const { settings, failing, log } = deps
  const taskQueue = settings.TEMPORAL_TASK_QUEUE
  const database = await openLedger(deps, opened)
  const { em } = database
  const { connection, client } = await connectTemporal(deps, opened)
  // The SDK's runtime is replaced after its last connection closes.
  const metrics = createWorkerMetrics(Runtime.instance().metricMeter, () => poolUse(database), log)
  const brokerAccess = brokersOf(deps, database, metrics)
  const heardFills = new HeardFills()
  const activities = createActivities({
    ...brokerAccess,
    heardFills,
    liveTrading: settings.LIVE_TRADING === 'enabled',
    maxWaiting: settings.MAX_PENDING_PER_ACCOUNT,
  })
  const announcer = workflowAnnouncer(client, taskQueue)
  const syncs = new RequestedSyncs({ ...brokerAccess, announcer, log })
  const workers = await createTaskWorkers({
    ...(await taskOptions(deps, database)),
    connection,
    activities: {
      ...activities,
      ...createSnapshotActivities(brokerAccess),
      ...createFlattenActivities({ ...brokerAccess, stopper: entryStopper(client) }),
      ...createAccountSyncActivities({ em, syncAccount: (account) => syncs.sync(account) }),
    },
  })
  const heartbeat = createHeartbeat({
    em,
    taskQueue,
    buildId: BUILD_ID,
    isPolling: () => workers.isPolling,
    checkTemporal: () =>
      client.connection.withDeadline(Date.now() + 1_000, async () => {
        await client.connection.workflowService.getSystemInfo({})
      }),
    log,
  })
  const parts = [
    metrics,
    heartbeat,
    followBrokers({
      ...brokerAccess,
      announcer,
      pollEvery: settings.BROKER_POLL_INTERVAL,
      fleet: heartbeat,
      heardFills,
      slots: reportSlots(settings.DATABASE_POOL_SIZE),
      log,
    }),
    sequencingNotifier({
      databaseUrl: settings.DATABASE_URL,
      em,
      notify: (signalId) => announcer.earlierSignalChanged(signalId),
      log,
    }),
    failing.recorder(em, taskQueue, log),
    scheduleKeeper(client, taskQueue, schedules(settings), log),
  ]
  for (const part of parts) part.start()
  async function run(): Promise<void> {
    try {
      await workers.run()
    } finally {
      await Promise.allSettled(parts.map((part) => part.stop()))
      await close()
    }
  }
  const ended = run()
  log.info({ taskQueue, buildId: BUILD_ID }, 'worker polls')
  return {
    get parts() {
      return heartbeat.parts
    },
    ended,
    stop: () => workers.stop(),
  }
}

/** The ledger, once installation and keys are checked. */
async function openLedger(
  { settings, keyRing }: WorkerDependencies,
  opened: AsyncDisposableStack,
): Promise<Database> {
  const database = await openDatabase(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE)
  opened.defer(() => database.close(true))
  await requireFitDatabase(database.em.fork())
  await requireKnownKeys(database.em, keysFor(keyRing, 'key-check'))
  await recordSyncInterval(database.em.fork(), settings.ACCOUNT_SYNC_INTERVAL)
  return database
}

async function connectTemporal({ settings, keyRing }: WorkerDependencies, opened: AsyncDisposableStack) {
  const connection = await NativeConnection.connect(connectionOptions(settings))
  opened.defer(() => connection.close())
  const clientConnection = await Connection.connect(connectionOptions(settings))
  opened.defer(() => clientConnection.close())
  const options = {
    namespace: settings.TEMPORAL_NAMESPACE,
    dataConverter: payloadConversion(settings, keyRing, 'client'),
    interceptors: { workflow: [addressMessages(randomUUID)] },
  }
  const client = new Client({ ...options, connection: clientConnection })
  await registerSearchAttributes(client)
  return { connection, client }
}

function brokersOf({ settings, keyRing, log }: WorkerDependencies, { em }: Database, metrics: WorkerMetrics) {
  const gates = new BrokerGates({
    perMinute: requestsPerMinute,
    exchange: gateExchange(em),
    onTrouble: (error) => log.warn({ err: error }, 'requests to brokers are counted by this worker alone'),
    watcher: metrics.brokerGates,
  })
  return {
    em,
    secretKeys: keysFor(keyRing, 'stored-secrets'),
    connectBroker: gatedBroker(observedBroker(connectBroker, metrics.observeBrokerRequest), gates),
    requestTimeoutMs: settings.BROKER_REQUEST_TIMEOUT,
  }
}

const taskOptions = async ({ settings, keyRing, log }: WorkerDependencies, { em }: Database) => ({
  namespace: settings.TEMPORAL_NAMESPACE,
  taskQueue: settings.TEMPORAL_TASK_QUEUE,
  dataConverter: payloadConversion(settings, keyRing, 'worker'),
  workflowBundle: await workflowCode(settings.WORKFLOW_BUNDLE),
  ...versionOf(settings),
  interceptors: { activity: [addressedActivities, tracedActivities] },
  sinks: alertsOfUntrusted({ em, log }),
  // Broker calls in flight finish before a worker stops.
  shutdownGraceTime: settings.BROKER_REQUEST_TIMEOUT + 2_000,
  // A crashed worker is noticed when a task waits this long in its private queue.
  stickyQueueScheduleToStartTimeout: '2 seconds' as const,
})

/** Without WORKER_VERSIONING Temporal sends tasks to any build; with it only to a current or ramping one. */
const versionOf = ({
  WORKER_VERSIONING,
  WORKER_DEPLOYMENT,
}: WorkerSettings): Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions'> =>
  WORKER_VERSIONING === 'off'
    ? // The SDK's own identity is a checksum of 91 characters.
      // oxlint-disable-next-line typescript/no-deprecated -- what is deprecated is the versioning by it, which stays off
      { buildId: BUILD_ID }
    : {
        workerDeploymentOptions: {
          useWorkerVersioning: true,
          version: { deploymentName: WORKER_DEPLOYMENT, buildId: BUILD_ID },
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      }

/** Throws {@link SettingsError} when there is no such bundle. */
async function workflowCode(bundle: string | undefined) {
  if (bundle === undefined) return bundleWorkflows()
  if (!existsSync(bundle))
    throw new SettingsError(`WORKFLOW_BUNDLE: there is no file ${bundle}; build it with npm run bundle`)
  return { codePath: bundle }
}
