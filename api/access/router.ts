import Router from '@koa/router'
import { policyOf, type RoutePolicy } from './policy.ts'
import type { ApiState, RouteMiddleware } from '../http/context.ts'
import type { Route } from '../http/route-list.ts'

/**
 * The only place where routes become reachable. The guard is the first function of each route itself, made from the
 * policy of that route: no prefix and no pattern decides about it, so what matched is what is guarded. Addresses are
 * exact: another case, a slash more or another encoding makes another address, which is not found.
 *
 * @param admit makes the guard of a policy
 * @throws Error for a route without a policy, and for two routes of one name
 */
export function createRouter(
  routes: readonly Route[],
  authorize: (policy: RoutePolicy) => RouteMiddleware,
): Router<ApiState> {
  const router = new Router<ApiState>({
    sensitive: true,
    strict: true,
    // One route answers a request: of several that match, the one with the fewest parameters.
    exclusive: 'specificity',
  })
  const names = new Set<string>()
  for (const { name, method, path, handlers } of routes) {
    const policy = policyOf(name)
    if (!policy) throw new Error(`No policy says who may use ${name}: it needs a row in ACCESS_POLICY`)
    if (names.has(name)) throw new Error(`${name} is declared twice`)
    names.add(name)
    router.register(path, [method], [authorize(policy), ...handlers])
  }
  return router
}
