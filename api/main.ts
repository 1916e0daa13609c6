import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import { connectBroker as connectToBroker } from '#brokers/registry.ts'
import { requestsPerMinute } from '#domain/account/broker-types.ts'
import { observedBroker } from '#brokers/observed.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { takeOverConsole } from '#config/console-lines.ts'
import { apiSettings, readSettings } from '#config/env.ts'
import { idleCollection } from '#config/idle-collection.ts'
import { keysFor, openKeyRing } from '#config/key-ring.ts'
import { pushKeys } from '#config/push-keys.ts'
import { failpoint } from '#config/failpoint.ts'
import { createLogger } from '#config/logger.ts'
import { payloadConversion } from '#config/temporal.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import { openCountStore } from '#db/engine/count-store.ts'
import { openDatabase } from '#db/engine/database.ts'
import { readLedgerNumbers } from '#db/watch/ledger-numbers.ts'
import { startTracing } from '#tracing/start.ts'
import { createApp } from './app.ts'
import { connectTo } from './broker/asked.ts'
import { STOPPING_DEADLINE_MS, within } from './http/deadline.ts'
import { checkDatabase } from './http/startup-check.ts'
import { createDaySummaries } from './jobs/day-summaries.ts'
import { createNoticeSender } from './jobs/notice-sender.ts'
import { createHousekeeping, createInboxHousekeeping, createLedgerClock } from './jobs/housekeeping.ts'
import { createSilenceWatch } from './jobs/silence.ts'
import { setupSecretOf } from './identity/registration.ts'
import { parseTrustedProxies } from '#contract/values/networks.ts'
import { createLimits } from './access/limits.ts'
import { unlimited } from './access/unlimited.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from './http/work-bounds.ts'
import { fileMailbox, smtpMailer } from './mail/mail.ts'
import { mailboxSecretFile, readOrMakeMailboxSecret } from './mail/mailbox-page.ts'
import { listen } from './http/server.ts'
import { createSupervisor } from './supervisor/supervisor.ts'
import { createOutgoing } from './notify/outgoing.ts'
import { pushServices, pushSubject } from './notify/web-push/delivery.ts'
import { createTemporalGateway, tracedGateway } from './temporal/gateway.ts'
import { diskSpace, probeDependencies } from './metrics/dependency-probes.ts'
import { createMetrics } from './metrics/metrics.ts'
import { PhaseObserver } from './metrics/phase-observer.ts'
import { serveMetrics } from './metrics/server.ts'
import { createWatch } from './jobs/watch.ts'
import type { InProcessWorker } from '#worker/in-process.ts'

/** Milliseconds. */
const METRICS_LIMIT = 2_000

/** Connections for halts, cancels and closing. */
const STOPPING_CONNECTIONS = 4

/** Starts and runs even without PostgreSQL or Temporal. */
const settings = readSettings(apiSettings)
const logger = createLogger('api', settings)
takeOverConsole((level, text) => logger[level](text))
const tracing = await startTracing('durable-trader-api', BUILD_ID, settings, logger)
const database = await openDatabase(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE)
const stoppingDatabase = await openDatabase(settings.DATABASE_URL, STOPPING_CONNECTIONS, STOPPING_DEADLINE_MS)
const ordinaryDatabase = await openDatabase(settings.DATABASE_URL, settings.DATABASE_READ_POOL_SIZE)
const keyRing = await openKeyRing(settings, (error) =>
  logger.error({ err: error }, 'the changed key file cannot be used; the keys known so far stay in use'),
)
const setupSecret = setupSecretOf(settings.SETUP_SECRET, keysFor(keyRing, 'first-user'))
// Only a derived secret is logged: the operator knows a chosen one.
const isSecretToShow = settings.REGISTRATION === 'first-user' && settings.SETUP_SECRET === undefined
checkDatabase(database, keysFor(keyRing, 'key-check'), logger, isSecretToShow ? setupSecret : null).catch(
  (error: unknown) => {
    logger.fatal((error as Error).message)
    process.exit(1)
  },
)
const worker = settings.EMBEDDED_WORKER === 'on' ? await startOwnWorker() : null
const gateway = tracedGateway(createTemporalGateway(settings, payloadConversion(settings, keyRing, 'client')))
const counts = openCountStore(settings.DATABASE_URL)
const mailbox = settings.SMTP_URL === undefined ? fileMailbox(settings.MAILBOX_FILE) : null
const mailer = mailbox ?? smtpMailer(settings.SMTP_URL!, settings.MAIL_FROM)
const metrics = createMetrics({
  readLedger: () =>
    within(
      METRICS_LIMIT,
      'the ledger',
      readLedgerNumbers(ordinaryDatabase.em.fork(), settings.TEMPORAL_TASK_QUEUE),
    ).catch(() => null),
  probeDependencies: () =>
    probeDependencies({
      trading: database,
      stopping: stoppingDatabase,
      ordinary: ordinaryDatabase,
      gateway,
      work,
      openStreams: () => app.openStreams(),
      dataFolder: settings.DATA_DIR,
    }),
})
const work = createWorkBounds(
  { ...WORK_BOUNDS, entries: entryBound(settings.SIGNAL_CONCURRENCY) },
  metrics.countWorkRefused,
)
const gates = new BrokerGates({
  perMinute: requestsPerMinute,
  showPerMinute: settings.BROKER_READS_PER_MINUTE,
  exchange: gateExchange(ordinaryDatabase.em),
  onTrouble: (error) => logger.warn({ err: error }, 'requests to brokers are counted by this process alone'),
  watcher: metrics.brokerGates,
})
const connectBroker = gatedBroker(observedBroker(connectToBroker, metrics.observeBrokerRequest), gates)
const clock = createLedgerClock(ordinaryDatabase, logger)
const publicUrl = settings.PUBLIC_URL ?? `http://127.0.0.1:${settings.API_PORT}`
const push =
  settings.PUSH === 'on'
    ? {
        keys: pushKeys(keysFor(keyRing, 'push')),
        isPushService: pushServices(settings.PUSH_SERVICES),
        subject: pushSubject(settings),
      }
    : null
const { OUTGOING_NETWORKS: allowedNetworks } = settings
const outgoing = createOutgoing({ allowedNetworks, trustedOrigins: [] })
const services = createOutgoing({
  allowedNetworks,
  trustedOrigins: [settings.TELEGRAM_URL, ...settings.PUSH_SERVICES],
})
const notify = {
  request: outgoing.request,
  requestService: services.request,
  addressFault: outgoing.faultOf,
  publicUrl,
  telegramUrl: settings.TELEGRAM_URL,
  mailer,
  push,
  now: clock.now,
}
const proxies = parseTrustedProxies(settings.TRUSTED_PROXIES)
const app = createApp({
  now: clock.now,
  metrics,
  database,
  stoppingDatabase,
  ordinaryDatabase,
  work,
  gateway,
  connectBroker,
  keepsLooks: true,
  logger,
  identity: {
    signingKeys: keysFor(keyRing, 'access-jwt'),
    deviceKeys: keysFor(keyRing, 'known-devices'),
    secretKeys: keysFor(keyRing, 'stored-secrets'),
    limits: settings.RATE_LIMITS === 'on' ? createLimits(counts) : unlimited,
    mailer,
  },
  mailbox: mailbox && { mailbox, secret: await readOrMakeMailboxSecret(settings.MAILBOX_FILE) },
  proxies,
  corsOrigins: settings.CORS_ORIGINS,
  notify,
  settings: {
    ...settings,
    SETUP_SECRET: setupSecret,
    PUBLIC_URL: publicUrl,
  },
  build: {
    buildId: BUILD_ID,
    uptime: () => process.uptime(),
    diskSpace: () => diskSpace(settings.DATA_DIR),
  },
  failpoint,
})
const comparedBroker = {
  connectBroker,
  secretKeys: keysFor(keyRing, 'stored-secrets'),
  brokerTimeout: settings.BROKER_REQUEST_TIMEOUT,
  requestClass: 'comparison' as const,
}
const noticeSender = createNoticeSender({
  database: ordinaryDatabase,
  notify,
  secretKeys: keysFor(keyRing, 'stored-secrets'),
  logger,
  metrics,
})
const parts = [
  clock,
  createSupervisor({ database, gateway, logger }, [app.leftMessages], {
    notifications: () => noticeSender.soon(),
  }),
  createWatch({
    database,
    gateway,
    brokerOf: (connection) => connectTo(comparedBroker, connection),
    phases: new PhaseObserver(ordinaryDatabase, metrics, logger),
    taskQueue: settings.TEMPORAL_TASK_QUEUE,
    logger,
  }),
  noticeSender,
  createDaySummaries(ordinaryDatabase, logger),
  createSilenceWatch({
    database: ordinaryDatabase,
    logger,
    brokerOf: (connection) => connectTo(comparedBroker, connection),
  }),
  createHousekeeping(ordinaryDatabase, logger, settings.EVENTS_RETENTION),
  createInboxHousekeeping(ordinaryDatabase, logger),
  idleCollection(logger),
]
const metricsServer = await serveMetrics(
  metrics,
  { host: settings.API_METRICS_HOST, port: settings.API_METRICS_PORT },
  logger,
)
const server = await listen(app.koa.callback(), settings.API_HOST, settings.API_PORT, { proxies })
for (const part of parts) part.start()
logger.info({ address: server.address, buildId: BUILD_ID }, 'listening')
if (mailbox)
  logger.info(
    { messages: settings.MAILBOX_FILE, secretFile: mailboxSecretFile(settings.MAILBOX_FILE) },
    'no mail server is set: messages are kept in a file',
  )

async function startOwnWorker(): Promise<InProcessWorker> {
  const { keepWorkerInProcess } = await import('#worker/in-process.ts')
  return keepWorkerInProcess({
    keyRing,
    metrics: { host: settings.API_METRICS_HOST, port: settings.EMBEDDED_WORKER_METRICS_PORT },
    log: logger.child({ part: 'worker' }),
  })
}

let isStopping = false

/** A second request exits at once. */
async function stop(reason: string): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  logger.info({ reason }, 'stopping')
  try {
    await Promise.all([
      app.endStreams(),
      server.stop(),
      ...parts.map((part) => part.stop()),
      metricsServer.stop(),
    ])
    await app.whenIdle()
    await worker?.stop()
    mailer.close()
    await counts.end()
    await gateway.close()
    await Promise.all([database, stoppingDatabase, ordinaryDatabase].map((each) => each.close(true)))
    await tracing.stop()
    logger.info('stopped')
  } catch (error) {
    logger.error({ err: error }, 'not everything could be closed')
    process.exitCode = 1
  }
  // A hanging connection must not keep the process.
  process.exit()
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    logger.fatal({ err: error }, event)
    // The state is unknown: a restart loses no accepted work.
    process.exit(1)
  })
}
