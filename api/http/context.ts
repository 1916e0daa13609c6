import type { EntityManager } from '#db/engine/database.ts'
import type { HookHolder } from '#db/hooks/holders.ts'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { Fault } from './errors.ts'
import type { Principal } from './principal.ts'
import type { Query } from './query.ts'

/** The facts that guards learn about a request on its way to the route. */
export interface ApiState {
  requestId: string
  /** Milliseconds of `performance.now()` at which the request arrived; deadlines count from here. */
  receivedAt: number
  /** Milliseconds that it has waited for other work of its sender, which are nobody else's delay. */
  waited: number
  /** Milliseconds that it has for the database, where they are others than those of most requests. */
  databaseDeadline?: number
  /** The request's own view of the database. */
  em: EntityManager
  /** Where the request comes from, as far as our own proxies tell. */
  clientIp: string
  /** The query, which the address itself has no more. */
  query: Query
  /** The secret at the end of the address of a hook, which the address itself has no more. */
  hookSecret?: string
  /** The faults of address and headers, whatever is asked for. */
  headFaults: Fault[]
  /** The body, where it is taken in before the request waits for anything. */
  bytes?: Promise<Buffer>
  /** The authorization guard has let the request in; set by nothing else. */
  isAuthorized?: true
  /** The principal who asks; set by the authorization guard. */
  principal?: Principal
  /** The page elsewhere from which the request was refused, for the log. */
  refusedOrigin?: string
  /** By which a message to a hook was signed, in hex. */
  hookSignature?: string
  /** The hook by which a request came. */
  hook?: HookHolder
  /** Why a message of a hook was refused, whose answer has the form of its sender. */
  refusal?: { code: string; error: string }
  /** The body asks for a dry run, whatever else it says. */
  isDryRun?: boolean
  /** The signal the request is about, for the log. */
  signalId?: string
}

export type ApiContext = RouterContext<ApiState>
/** A guard of every request. */
export type ApiMiddleware = Middleware<ApiState>
/** A guard or handler of a route. */
export type RouteMiddleware = RouterMiddleware<ApiState>
