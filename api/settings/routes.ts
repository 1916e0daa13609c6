import Router from '@koa/router'
import type { ApiState, RouteMiddleware } from '../context.ts'
import { addHaltRoutes } from './halt-routes.ts'
import { addRiskRoutes } from './risk-routes.ts'

/** What owners settle for their accounts, behind the admit guard. */
export function settingsRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/settings' })
  router.use(admit)
  addRiskRoutes(router)
  addHaltRoutes(router)
  return router
}
