import Router from '@koa/router'
import type { ApiState, RouteMiddleware, ApiMiddleware } from '../http/context.ts'
import type { RoutePolicy } from './policy.ts'

export interface ServedRoute {
  name: string
  access: RoutePolicy
  handler: RouteMiddleware
}

/** Only here routes become reachable, each behind the guard of its own policy, at exact addresses. */
export function createRouter(
  routes: readonly ServedRoute[],
  authorize: (policy: RoutePolicy) => RouteMiddleware,
): Router<ApiState> {
  const router = new Router<ApiState>({
    sensitive: true,
    strict: true,
    // Of several that match, the route with the fewest parameters answers.
    exclusive: 'specificity',
  })
  const names = new Set<string>()
  for (const { name, access, handler } of routes) {
    // The type says so too, but access does not rest on a type alone.
    if (!(access as RoutePolicy | undefined)) throw new Error(`No policy says who may use ${name}`)
    if (names.has(name)) throw new Error(`${name} is declared twice`)
    names.add(name)
    const [method, address] = name.split(' ') as [string, string]
    router.register(address, [method], [authorize(access), handler])
  }
  return router
}

/** No answer leaves unauthorized: throws (500), removes headers that were set, and cuts a stream off. */
export const authorizedAnswers: ApiMiddleware = async (ctx, next) => {
  const before = new Set(Object.keys(ctx.response.headers))
  await next()
  if (ctx.state.isAuthorized) return
  for (const name of Object.keys(ctx.response.headers)) if (!before.has(name)) ctx.remove(name)
  if (ctx.respond === false) ctx.res.destroy()
  throw new Error(`${ctx.method} ${ctx.path} was answered without having been authorized`)
}
