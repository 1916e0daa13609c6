import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { Database } from '#db/engine/database.ts'
import Koa from 'koa'
import type { Logger } from 'pino'
import type { AccountSyncGateway } from './temporal/account-syncs.ts'
import { accountRoutes } from './accounts/routes.ts'
import { accountSyncRoutes } from './accounts/sync-routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { assetRoutes } from './assets/routes.ts'
import { createTokenUse } from './access/token-use.ts'
import { createBackground } from './http/background.ts'
import { brokerRoutes } from './brokers/routes.ts'
import type { ApiState } from './http/context.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { desktopRoutes } from './desktop/routes.ts'
import { LiveFeed } from './events/live-feed.ts'
import { eventRoutes } from './events/routes.ts'
import type { Failpoint } from './http/failpoint.ts'
import { accessLog } from './guards/access-log.ts'
import { authorize } from './access/authorize.ts'
import { authorizedAnswers } from './access/authorized-answers.ts'
import { crossOrigin } from './guards/cross-origin.ts'
import { entityManager } from './guards/entity-manager.ts'
import { errorEnvelope } from './guards/error-envelope.ts'
import { exactAddresses } from './guards/exact-addresses.ts'
import { origin } from './guards/origin.ts'
import { querySecrets } from './guards/query-secrets.ts'
import { requestId } from './guards/request-id.ts'
import { secureHeaders } from './guards/secure-headers.ts'
import { unmatched } from './guards/unmatched.ts'
import { healthRoutes } from './health/routes.ts'
import type { IdentityDeps, IdentitySettings } from './identity/deps.ts'
import { identityRoutes } from './identity/routes.ts'
import { shareBroker } from './brokers/share.ts'
import type { TrustedProxies } from './access/client-address.ts'
import type { WorkBounds } from './http/work-bounds.ts'
import { mailboxPage, type OpenMailbox } from './mail/mailbox-page.ts'
import { createEmailTemplates } from './mail/email-templates.ts'
import { isOnThisMachine } from './mail/this-machine.ts'
import { descriptionRoutes } from './openapi/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { positionRoutes } from './positions/routes.ts'
import type { OrderGateway } from './temporal/orders.ts'
import { createRouter } from './access/router.ts'
import type { SignalGateway } from './temporal/signals.ts'
import { settingsRoutes } from './settings/routes.ts'
import { signalRoutes } from './signals/routes.ts'
import { strategyRoutes } from './strategies/routes.ts'
import { openTradeRoutes, tradeRoutes } from './trades/routes.ts'

export interface AppDeps {
  /** Connections for trading: signals, orders, decisions, cancels and halts. */
  database: Database
  /** Connections of their own for everything else, so that nothing else takes the last ones. */
  ordinaryDatabase: Database
  /** How much of each caller's work goes on at once. */
  work: WorkBounds
  gateway: SignalGateway & OrderGateway & AccountSyncGateway
  connectBroker(settings: BrokerConnectionSettings): Broker
  logger: Logger
  /** Keys, counts and mail. */
  identity: Pick<IdentityDeps, 'signingKeys' | 'deviceKeys' | 'secretKeys' | 'limits' | 'mailer'>
  /**
   * Messages that this machine may look at, as long as people reach the service on it alone; null where they go out
   * by a mail server.
   */
  mailbox: OpenMailbox | null
  proxies: TrustedProxies
  /** Origins of other sites whose pages may call the API. */
  corsOrigins: readonly string[]
  settings: IdentitySettings & {
    SIGNALS_ENABLED: boolean
    API_KEY_IN_QUERY: boolean
    SIGNAL_ANSWER_DEADLINE_MS: number
    SIGNAL_MAX_STALENESS: number
    /** Milliseconds. */
    BROKER_REQUEST_TIMEOUT: number
    BROKER_READS_PER_MINUTE: number
    SIGNALS_WAITING_PER_ACCOUNT: number
    VENUE_URL: string
    TEMPORAL_TASK_QUEUE: string
    /** Milliseconds. */
    EVENTS_HEARTBEAT: number
    EVENTS_STREAMS_PER_USER: number
    LIVE_TRADING: 'enabled' | 'disabled'
  }
  /** Where tests make the process die; passes by when left out. */
  failpoint?: Failpoint
}

export interface App {
  koa: Koa<ApiState>
  /** Every route, as the access policy names it. */
  routes: string[]
  /** Ends the event streams, which no server that stops could wait for. */
  endStreams(): Promise<void>
  /** Resolves when what runs beside the requests has ended. */
  whenIdle(): Promise<void>
}

/** Puts the API together; nothing listens yet. A request passes the guards from top to bottom. */
export function createApp(deps: AppDeps): App {
  const { database, ordinaryDatabase, work, gateway, logger, settings, failpoint = () => {} } = deps
  const koa = new Koa<ApiState>()
  const tokenUse = createTokenUse(ordinaryDatabase, logger)
  const background = createBackground(logger)
  const keyInQuery = settings.API_KEY_IN_QUERY
  const authorizeRoute = authorize({ ...deps.identity, tokenUse, keyInQuery, work, ordinaryDatabase })
  const feed = new LiveFeed({ database: ordinaryDatabase, logger, heartbeat: settings.EVENTS_HEARTBEAT })
  const emailTemplates = createEmailTemplates(settings.PUBLIC_URL)
  const brokerAccess = {
    connectBroker: deps.connectBroker,
    secretKeys: deps.identity.secretKeys,
    brokerTimeout: settings.BROKER_REQUEST_TIMEOUT,
  }
  /** For what is not trading, which may not ask for all that a broker allows. */
  const sharedBroker = {
    ...brokerAccess,
    connectBroker: shareBroker(deps.connectBroker, settings.BROKER_READS_PER_MINUTE),
  }
  const liveTrading = settings.LIVE_TRADING === 'enabled'
  const ordering = {
    gateway,
    logger,
    failpoint,
    answerDeadline: settings.SIGNAL_ANSWER_DEADLINE_MS,
    maxStaleness: settings.SIGNAL_MAX_STALENESS,
    maxWaiting: settings.SIGNALS_WAITING_PER_ACCOUNT,
  }
  const identity = { ...deps.identity, emailTemplates, background, settings }

  koa.on('error', (error: unknown) => logger.warn({ err: error }, 'an answer could not be delivered'))
  koa.use(querySecrets)
  koa.use(origin(deps.proxies))
  koa.use(requestId)
  koa.use(accessLog(logger))
  koa.use(secureHeaders(settings.PUBLIC_URL))
  koa.use(errorEnvelope(logger))
  koa.use(crossOrigin(deps.corsOrigins))
  koa.use(entityManager(database))

  const routes = [
    healthRoutes({
      database,
      gateway,
      taskQueue: settings.TEMPORAL_TASK_QUEUE,
      venueUrl: settings.VENUE_URL,
    }),
    descriptionRoutes(),
    signalRoutes({
      ...ordering,
      ...sharedBroker,
      work,
      ordinaryDatabase,
      liveTrading,
      enabled: settings.SIGNALS_ENABLED,
    }),
    alertRoutes(),
    assetRoutes(sharedBroker),
    settingsRoutes(),
    tradeRoutes(),
    openTradeRoutes(),
    orderRoutes(ordering),
    accountSyncRoutes(gateway),
    accountRoutes({ ...deps.identity, liveTrading }),
    brokerRoutes({ ...sharedBroker, venueUrl: settings.VENUE_URL }),
    positionRoutes({ ...ordering, ...brokerAccess }),
    strategyRoutes(),
    dashboardRoutes(),
    desktopRoutes(),
    eventRoutes({ feed, logger, maxStreams: settings.EVENTS_STREAMS_PER_USER }),
    ...identityRoutes(identity),
    adminRoutes(identity),
    ...(deps.mailbox && isOnThisMachine(settings.PUBLIC_URL) ? [mailboxPage(deps.mailbox)] : []),
  ].flatMap((list) => list.routes)
  const names = routes.map(({ name }) => name)
  koa.use(authorizedAnswers)
  koa.use(exactAddresses(names))
  koa.use(createRouter(routes, authorizeRoute).routes())
  koa.use(unmatched)

  return {
    koa,
    routes: names,
    endStreams: () => feed.stop(),
    async whenIdle() {
      await Promise.all([tokenUse.whenIdle(), background.whenIdle()])
    },
  }
}
