import Router from '@koa/router'
import Koa from 'koa'
import { Rejection, rejectionBody } from '../rejection.ts'
import { addActivityRoutes } from './activity-routes.ts'
import { addAnnouncementRoutes } from './announcement-routes.ts'
import { addAssetRoutes } from './asset-routes.ts'
import { addCalendarRoutes } from './calendar-routes.ts'
import { addConfigurationRoutes } from './configuration-routes.ts'
import type { VenueParts, VenueState } from './context.ts'
import { addMarketDataRoutes } from './market-data-routes.ts'
import { createVenueMetrics } from './metrics.ts'
import { addOperatorRoutes } from './operator-routes.ts'
import { requireOwnRequest } from './own-requests.ts'
import { addPortfolioRoutes } from './portfolio-routes.ts'
import { addTradingRoutes } from './trading-routes.ts'
import { addWatchlistRoutes } from './watchlist-routes.ts'

export function venueApp(parts: VenueParts, onFault: (error: unknown) => void): Koa<VenueState> {
  const router = new Router<VenueState>()
  addTradingRoutes(router, parts)
  addActivityRoutes(router, parts)
  addConfigurationRoutes(router, parts)
  addPortfolioRoutes(router, parts)
  addAssetRoutes(router, parts)
  addCalendarRoutes(router, parts)
  addMarketDataRoutes(router, parts)
  addWatchlistRoutes(router, parts)
  addAnnouncementRoutes(router, parts)
  addOperatorRoutes(router, parts)
  const metrics = createVenueMetrics()
  router.get('/venue/metrics', (ctx) => metrics.serve(ctx))
  const app = new Koa<VenueState>()
  app.on('error', onFault)
  app.use(metrics.observe)
  app.use(async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) {
        ctx.status = 404
        ctx.body = { code: 40410000, message: 'endpoint not found' }
      }
    } catch (error) {
      if (!(error instanceof Rejection)) {
        onFault(error)
        ctx.status = 500
        ctx.body = { code: 50010000, message: 'internal server error occurred' }
        return
      }
      ctx.status = error.status
      ctx.body = rejectionBody(error)
    }
  })
  app.use(requireOwnRequest(parts.hostNames))
  app.use(router.routes())
  return app
}
