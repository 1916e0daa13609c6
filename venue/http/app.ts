import Router from '@koa/router'
import Koa from 'koa'
import { Rejection } from '../rejection.ts'
import { addActivityRoutes } from './activity-routes.ts'
import type { VenueParts, VenueState } from './context.ts'
import { addMarketRoutes } from './market-routes.ts'
import { createVenueMetrics } from './metrics.ts'
import { addOperatorRoutes } from './operator-routes.ts'
import { requireOwnRequest } from './own-requests.ts'
import { addTradingRoutes } from './trading-routes.ts'

/** The HTTP side of the venue. `onFault` hears of errors that are not the rejection of an order. */
export function venueApp(parts: VenueParts, onFault: (error: unknown) => void): Koa<VenueState> {
  const router = new Router<VenueState>()
  addTradingRoutes(router, parts)
  addActivityRoutes(router, parts)
  addMarketRoutes(router, parts)
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
      ctx.body = { code: error.code, message: error.message, ...error.details }
    }
  })
  app.use(requireOwnRequest(parts.hostNames))
  app.use(router.routes())
  return app
}
