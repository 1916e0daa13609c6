import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import { refuseCommits } from '#db/engine/commit-gate.ts'
import type { Database } from '#db/engine/database.ts'
import Koa from 'koa'
import type { Logger } from 'pino'
import type { AccountSyncGateway, FlattenGateway } from './temporal/gateway.ts'
import { createHookElsewhere } from './access/hook-credential.ts'
import { createRefusals } from './access/denied-requests.ts'
import { createTokenUse } from './access/access-jwt.ts'
import { createBackground } from './http/background.ts'
import type { ApiState } from './http/context.ts'
import { LiveFeed } from './events/live-feed.ts'
import { LiveFigures, LiveQuotes } from './events/live-quotes.ts'
import { createCookieDoor } from './http/cookies.ts'
import type { Failpoint } from './http/failpoint.ts'
import { whyGivenUp } from './http/deadline.ts'
import { isOnThisMachine } from './http/server.ts'
import { leftMessages } from './hook/intake/receive.ts'
import type { Row } from './supervisor/supervisor.ts'
import { accessLog, requestMetrics, requestTraces } from './guards/access-log.ts'
import { isDoor } from './access/policy.ts'
import { authorize, createRouter, authorizedAnswers } from './access/authorize.ts'
import { secureHeaders, crossOrigin, compression, errorEnvelope } from './guards/responses.ts'
import { AssetListings } from './asset/commands.ts'
import type { BrokerAccess } from './broker/asked.ts'
import { SnapshotCache } from './broker/snapshot-cache.ts'
import { requestId, origin, entityManager, rounds } from './guards/rounds.ts'
import { exactAddresses, unmatched, foreignPages, frontDoor, hooksAlone } from './guards/pre-auth.ts'
import { LineBudget, requestHead } from './guards/request-head.ts'
import type { IdentityDeps, IdentitySettings } from './identity/deps.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'
import type { WorkBounds } from './http/work-bounds.ts'
import { mailboxRoute, type OpenMailbox } from './mail/mailbox-page.ts'
import { createEmailTemplates } from './mail/mail.ts'
import { MarketData } from './market/market-data.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { OrderGateway } from './temporal/signals.ts'
import type { SignalGateway } from './temporal/calls.ts'
import type { NotifyDeps } from './notify/commands.ts'
import { createReadinessCheck, type ReadinessDeps } from './health/readiness.ts'
import { handOutSessions, deviceCookie } from './identity/sessions.ts'
import { createReference } from './openapi/reference/reference.ts'
import { serve } from './route/serve.ts'
import { isApart } from './hook/public-address.ts'
import { webApp } from './web-app/routes.ts'
import { ROUTES } from './routes.ts'
import type { Services } from './services.ts'

export interface AppDeps {
  database: Database
  stoppingDatabase: Database
  ordinaryDatabase: Database
  work: WorkBounds
  gateway: SignalGateway & OrderGateway & AccountSyncGateway & FlattenGateway
  connectBroker(settings: BrokerConnectionSettings): Broker
  logger: Logger
  identity: Pick<IdentityDeps, 'signingKeys' | 'deviceKeys' | 'secretKeys' | 'limits' | 'mailer'>
  /** Null with a mail server; shown only on this machine. */
  mailbox: OpenMailbox | null
  proxies: TrustedProxies
  notify: NotifyDeps
  corsOrigins: readonly string[]
  settings: IdentitySettings & {
    SIGNALS_ENABLED: boolean
    API_KEY_IN_QUERY: boolean
    SIGNAL_ANSWER_DEADLINE_MS: number
    SIGNAL_TTL: number
    /** Milliseconds. */
    BROKER_REQUEST_TIMEOUT: number
    SIGNAL_QUEUE_LIMIT: number
    MAX_PENDING_PER_ACCOUNT: number
    VENUE_URL: string
    VENUE_CONTROL_SECRET?: string | undefined
    TEMPORAL_TASK_QUEUE: string
    TEMPORAL_NAMESPACE: string
    /** Milliseconds. */
    EVENTS_HEARTBEAT: number
    EVENTS_STREAMS_PER_USER: number
    LIVE_TRADING: 'enabled' | 'disabled'
    WEB_FOLDER: string
    TEMPORAL_UI_URL?: string | undefined
  }
  metrics: Pick<Metrics, 'observeRequest'>
  build: Pick<ReadinessDeps, 'buildId' | 'uptime' | 'diskSpace'>
  /** PostgreSQL's clock, milliseconds since the epoch; absent: our own. */
  now?: () => number
  keepsLooks?: boolean
  failpoint?: Failpoint
}

export interface App {
  koa: Koa<ApiState>
  routes: string[]
  leftMessages: Row
  openStreams(): number
  endStreams(): Promise<void>
  whenIdle(): Promise<void>
}

/** Guards run from top to bottom. */
export function createApp(deps: AppDeps): App {
  const { database, stoppingDatabase, ordinaryDatabase, work, logger, settings } = deps
  const koa = new Koa<ApiState>()
  for (const each of [database, stoppingDatabase, ordinaryDatabase]) refuseCommits(each, whyGivenUp)
  const tokenUse = createTokenUse(ordinaryDatabase, logger)
  const refusals = createRefusals(ordinaryDatabase, logger)
  const background = createBackground(logger)
  const keyInQuery = settings.API_KEY_IN_QUERY
  const { limits, signingKeys } = deps.identity
  const authorizeRoute = authorize({
    ...deps.identity,
    tokenUse,
    refusals,
    hookElsewhere: createHookElsewhere(ordinaryDatabase, background),
    keyInQuery,
    work,
    stoppingDatabase,
    ordinaryDatabase,
  })
  const access = {
    connectBroker: deps.connectBroker,
    secretKeys: deps.identity.secretKeys,
    brokerTimeout: settings.BROKER_REQUEST_TIMEOUT,
  }
  const market = new MarketData(access)
  const looks = deps.keepsLooks ? new SnapshotCache(access, market) : null
  const beside = { database: ordinaryDatabase, logger }
  const feed = new LiveFeed({
    ...beside,
    heartbeat: settings.EVENTS_HEARTBEAT,
    temporalUiUrl: temporalUiOf(settings),
    companions: [new LiveQuotes({ ...beside, hub: market.hub, looks }), new LiveFigures(beside)],
  })
  const doors = new Set(ROUTES.filter(({ access }) => isDoor(access)).map(({ name }) => name))
  const services = servicesOf(deps, { background, feed, market, looks, access })
  const undelivered = new LineBudget((byError) =>
    logger.warn({ byError }, 'answers that could not be delivered'),
  )
  koa.on('error', (error: Error & { code?: string }) => {
    const kind = error.code ?? error.name
    if (undelivered.allows(kind, kind)) logger.warn({ err: error }, 'an answer could not be delivered')
  })
  const routes = ROUTES.filter((route) => route !== mailboxRoute || services.openMailbox)
  const names = routes.map(({ name }) => name)
  koa.use(requestHead(names))
  koa.use(origin(deps.proxies))
  koa.use(requestId)
  koa.use(accessLog(logger))
  koa.use(requestMetrics(deps.metrics))
  koa.use(requestTraces)
  koa.use(secureHeaders(settings.PUBLIC_URL))
  koa.use(compression)
  koa.use(errorEnvelope(logger))
  koa.use(rounds(routes))
  koa.use(foreignPages(settings.PUBLIC_URL, deps.corsOrigins))
  if (isApart(settings)) koa.use(hooksAlone(settings))
  koa.use(webApp(settings.WEB_FOLDER, limits.addresses))
  koa.use(crossOrigin(deps.corsOrigins))
  koa.use(frontDoor(limits.addresses, signingKeys, doors))
  koa.use(entityManager(database))

  const served = routes.map((route) => ({ ...route, handler: serve(route, services) }))
  koa.use(authorizedAnswers)
  koa.use(exactAddresses(names))
  koa.use(createRouter(served, authorizeRoute).routes())
  koa.use(unmatched)

  return {
    koa,
    routes: names,
    leftMessages: leftMessages({ ...services, refusals }),
    openStreams: () => feed.openStreams,
    endStreams: () => feed.stop(),
    async whenIdle() {
      await Promise.all([tokenUse.whenIdle(), refusals.whenIdle(), background.whenIdle()])
    },
  }
}

function servicesOf(
  deps: AppDeps,
  {
    background,
    feed,
    market,
    looks,
    access,
  }: Pick<Services, 'background' | 'feed' | 'market' | 'looks'> & { access: BrokerAccess },
): Services {
  const { database, ordinaryDatabase, work, gateway, logger, settings, failpoint = () => {}, mailbox } = deps
  const { PUBLIC_URL } = settings
  const { signingKeys, deviceKeys } = deps.identity
  const rememberDevice = deviceCookie(deviceKeys)
  const venueUrl = settings.VENUE_URL
  return {
    ...deps.identity,
    settings,
    emailTemplates: createEmailTemplates(PUBLIC_URL),
    background,
    cookieDoor: createCookieDoor(PUBLIC_URL),
    rememberDevice,
    handOutSession: handOutSessions(signingKeys, rememberDevice),
    gateway,
    logger,
    failpoint,
    answerDeadline: settings.SIGNAL_ANSWER_DEADLINE_MS,
    signalTtl: settings.SIGNAL_TTL,
    now: deps.now ?? Date.now,
    begunLater: settings.SIGNAL_QUEUE_LIMIT,
    maxWaiting: settings.MAX_PENDING_PER_ACCOUNT,
    signalsEnabled: settings.SIGNALS_ENABLED,
    liveTrading: settings.LIVE_TRADING === 'enabled',
    work,
    database,
    ordinaryDatabase,
    connectBroker: deps.connectBroker,
    brokerTimeout: access.brokerTimeout,
    venueUrl,
    venueControlSecret: settings.VENUE_CONTROL_SECRET ?? null,
    tradingBroker: { ...access, requestClass: 'orders' as const },
    market,
    looks,
    listings: new AssetListings(access),
    feed,
    heartbeat: settings.EVENTS_HEARTBEAT,
    maxStreams: settings.EVENTS_STREAMS_PER_USER,
    checkReadiness: createReadinessCheck({
      database,
      gateway,
      venueUrl,
      taskQueue: settings.TEMPORAL_TASK_QUEUE,
      ...deps.build,
    }),
    reference: createReference(ROUTES),
    notify: deps.notify,
    temporalUiUrl: temporalUiOf(settings),
    keepsMessages: mailbox !== null,
    openMailbox: mailbox && isOnThisMachine(PUBLIC_URL) ? mailbox : null,
  }
}

function temporalUiOf({ TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: AppDeps['settings']): string | null {
  if (TEMPORAL_UI_URL === undefined) return null
  return `${TEMPORAL_UI_URL.replace(/\/{1,9}$/, '')}/namespaces/${encodeURIComponent(TEMPORAL_NAMESPACE)}`
}
