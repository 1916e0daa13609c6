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
  /** Milliseconds waited for the sender's other work. */
  waited: number
  /** Milliseconds; absent: the default. */
  databaseDeadline?: number
  em: EntityManager
  clientIp: string
  query: Query
  hookSecret?: string
  headFaults: Fault[]
  bytes?: Promise<Buffer>
  isAuthorized?: true
  principal?: Principal
  /** Denied foreign page, for the log. */
  refusedOrigin?: string
  /** Hexadecimal. */
  hookSignature?: string
  hook?: HookHolder
  /** Error in the form of a hook's sender. */
  refusal?: { code: string; error: string }
  /** Set even for a faulty body. */
  isDryRun?: boolean
  signalId?: string
}

export type ApiContext = RouterContext<ApiState>

export type ApiMiddleware = Middleware<ApiState>

export type RouteMiddleware = RouterMiddleware<ApiState>
