import type { EntityManager } from '#db/database.ts'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { Principal } from './auth/principal.ts'

/** What the guards learn about a request on its way to the route. */
export interface ApiState {
  requestId: string
  /** Milliseconds of `performance.now()` at which the request arrived; deadlines count from here. */
  receivedAt: number
  /** The request's own view of the database. */
  em: EntityManager
  /** Who asks; set by the authenticate guard. */
  principal?: Principal
  /** The signal the request is about, for the log. */
  signalId?: string
}

export type ApiContext = RouterContext<ApiState>
/** A guard of every request. */
export type ApiMiddleware = Middleware<ApiState>
/** A guard or handler of a route. */
export type RouteMiddleware = RouterMiddleware<ApiState>

/** Who asks, on a route behind the authenticate guard. Throws where that guard is missing. */
export function principalOf(ctx: { state: ApiState }): Principal {
  if (!ctx.state.principal) throw new Error('This route is not behind the authenticate guard')
  return ctx.state.principal
}
