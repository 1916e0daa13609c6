import { addHaltRoutes } from './halt-routes.ts'
import { addRiskRoutes } from './risk-routes.ts'
import { RouteList } from '../http/route-list.ts'

/** What owners settle for their accounts. */
export function settingsRoutes(): RouteList {
  const routes = new RouteList('/api/v1/settings')
  addRiskRoutes(routes)
  addHaltRoutes(routes)
  return routes
}
