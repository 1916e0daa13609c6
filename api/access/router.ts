import Router from '@koa/router'
import type { ApiState, RouteMiddleware } from '../http/context.ts'
import type { RoutePolicy } from './policy.ts'

/** A route that can be reached. */
export interface ServedRoute {
  /** Method and address, such as `GET /api/v1/orders/:orderId`. */
  name: string
  access: RoutePolicy
  /** Answers; behind the guard of the policy. */
  handler: RouteMiddleware
}

/**
 * The only place where routes become reachable. The guard is the first function of each route itself, made from the
 * policy of that route: no prefix and no pattern decides about it, so what matched is what is guarded. Addresses are
 * exact: another case or another encoding makes another address, which is not found. A slash too much was taken off before.
 *
 * @param admit makes the guard of a policy
 * @throws Error for a route without a policy, and for two routes of one name
 */
export function createRouter(
  routes: readonly ServedRoute[],
  authorize: (policy: RoutePolicy) => RouteMiddleware,
): Router<ApiState> {
  const router = new Router<ApiState>({
    sensitive: true,
    strict: true,
    // One route answers a request: of several that match, the one with the fewest parameters.
    exclusive: 'specificity',
  })
  const names = new Set<string>()
  for (const { name, access, handler } of routes) {
    // The type says so already; what lets callers in does not rest on a type alone.
    if (!(access as RoutePolicy | undefined)) throw new Error(`No policy says who may use ${name}`)
    if (names.has(name)) throw new Error(`${name} is declared twice`)
    names.add(name)
    const [method, address] = name.split(' ') as [string, string]
    router.register(address, [method], [authorize(access), handler])
  }
  return router
}
