import type { Database } from '#db/database.ts'
import Koa from 'koa'
import type { Logger } from 'pino'
import { accountRoutes } from './accounts/routes.ts'
import { createTokenUse } from './auth/token-use.ts'
import type { ApiState } from './context.ts'
import type { Failpoint } from './failpoint.ts'
import { accessLog } from './guards/access-log.ts'
import { authenticate } from './guards/authenticate.ts'
import { entityManager } from './guards/entity-manager.ts'
import { errorEnvelope } from './guards/error-envelope.ts'
import { requestId } from './guards/request-id.ts'
import { unmatched } from './guards/unmatched.ts'
import { healthRoutes } from './health.ts'
import { orderRoutes } from './orders/routes.ts'
import { positionRoutes } from './positions/routes.ts'
import type { SignalGateway } from './signal-gateway.ts'
import { signalRoutes } from './signals/routes.ts'

export interface AppDeps {
  database: Database
  gateway: SignalGateway
  logger: Logger
  settings: {
    SIGNALS_ENABLED: boolean
    SIGNAL_ANSWER_DEADLINE_MS: number
    SIGNAL_MAX_STALENESS: number
    VENUE_URL: string
  }
  /** Where tests make the process die; passes by when left out. */
  failpoint?: Failpoint
}

export interface App {
  koa: Koa<ApiState>
  /** Resolves when what runs beside the requests has ended. */
  settled(): Promise<void>
}

/** Puts the API together; nothing listens yet. A request passes the guards from top to bottom. */
export function createApp({ database, gateway, logger, settings, failpoint = () => {} }: AppDeps): App {
  const koa = new Koa<ApiState>()
  const tokenUse = createTokenUse(database, logger)
  const authenticated = authenticate(tokenUse)

  koa.on('error', (error: unknown) => logger.warn({ err: error }, 'an answer could not be delivered'))
  koa.use(requestId)
  koa.use(accessLog(logger))
  koa.use(errorEnvelope(logger))
  koa.use(entityManager(database))

  const routers = [
    healthRoutes({ database, gateway, venueUrl: settings.VENUE_URL }),
    signalRoutes(authenticated, {
      gateway,
      logger,
      failpoint,
      enabled: settings.SIGNALS_ENABLED,
      answerDeadline: settings.SIGNAL_ANSWER_DEADLINE_MS,
      maxStaleness: settings.SIGNAL_MAX_STALENESS,
    }),
    orderRoutes(authenticated),
    accountRoutes(authenticated),
    positionRoutes(authenticated),
  ]
  for (const router of routers) koa.use(router.routes())
  koa.use(unmatched)

  return { koa, settled: () => tokenUse.settled() }
}
