import type { Principal } from './principal.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { HookHolder } from '#db/hook/hook-auth.ts'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { Fault } from '#contract/errors.ts'
import type { Query } from './query.ts'

export interface ApiState {
  requestId: string
  /** By `performance.now()`; deadlines count from here. */
  receivedAt: number
  /** Milliseconds, for other work of its sender. */
  waited: number
  /** Milliseconds; left out for that of most requests. */
  databaseDeadline?: number
  em: EntityManager
  clientIp: string
  query: Query
  hookSecret?: string
  headFaults: Fault[]
  bytes?: Promise<Buffer>
  isAuthorized?: true
  principal?: Principal
  /** For the log: the origin of the page elsewhere from which the request was refused. */
  refusedOrigin?: string
  /** In hex. */
  hookSignature?: string
  hook?: HookHolder
  /** For the answer to a hook's message, which has the form of its sender. */
  refusal?: { code: string; error: string }
  /** The body asks for a dry run, whatever else it says. */
  isDryRun?: boolean
  signalId?: string
}

export type ApiContext = RouterContext<ApiState>

export type ApiMiddleware = Middleware<ApiState>

export type RouteMiddleware = RouterMiddleware<ApiState>
