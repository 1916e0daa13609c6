import type { EntityManager } from '#db/engine/database.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import type { ApiContext } from './context.ts'
import { readCookie } from './cookies.ts'
import { beforeDatabaseDeadline, limitOfStatement } from './database-deadline.ts'
import type { Principal } from './principal.ts'
import { requireSender } from './sender.ts'
import type { WorkKind } from './work-bounds.ts'

/** The cookie by which a browser is known again. */
export const DEVICE_COOKIE = 'dt-device'

/**
 * Who asks, and by which request: what commands get to know of it. They never see the request itself.
 *
 * @typeParam P null where the route lets in callers without a credential
 */
export interface Caller<P extends Principal | null = Principal> {
  /** As proven by the credential. */
  principal: P
  /** The request's own view of the database. */
  em: EntityManager
  requestId: string
  /** Where the request comes from, as far as our own proxies tell. */
  ip: string
  /** The name that the browser or program gives itself. */
  userAgent: string
  /** By which it claims to be a known device; null without it. */
  deviceToken: string | null
  /** Milliseconds of `performance.now()` at which the request arrived. */
  receivedAt: number
  /** Bounds database work without which there is no answer. Throws {@link ApiError} DATABASE_UNAVAILABLE. */
  beforeDatabaseDeadline: <T>(work: Promise<T>) => Promise<T>
  /** Milliseconds from now for a statement that must have no effect once the request is refused for want of its answer. */
  limitOfStatement: () => number
  /** The principal as timelines show it: a person's address, with the label of the token. Looked up once. */
  actorName(): Promise<string>
  /** Keeps in mind that the request has waited for other work of its caller, which is no delay of the database. */
  noteWait(milliseconds: number): void
  /**
   * Before work of a kind that waited for its turn begins. Throws {@link SenderGone} where whoever sent it has hung up
   * meanwhile, and such work does not stand without them.
   */
  requireSender(kind: WorkKind): void
  /** Names the signal that the request is about, for the log. */
  noteSignal(signalId: string): void
}

/** The facts of a caller that sessions and the audit log keep. */
export type Origin = Pick<Caller<Principal | null>, 'ip' | 'userAgent' | 'deviceToken' | 'requestId'>

/** The caller, on a route behind the authorization guard. */
export function callerOf<P extends Principal | null>(ctx: ApiContext, principal: P): Caller<P> {
  const { state } = ctx
  const { em, requestId, receivedAt } = state
  let name: Promise<string> | undefined
  return {
    principal,
    em,
    requestId,
    receivedAt,
    ip: state.clientIp,
    // Header values may hold bytes that no text column takes.
    userAgent: ctx.get('User-Agent').replaceAll(/[^ -~]/g, '?'),
    deviceToken: readCookie(ctx, DEVICE_COOKIE),
    beforeDatabaseDeadline: (work) => beforeDatabaseDeadline(ctx, work),
    limitOfStatement: () => limitOfStatement(ctx),
    actorName() {
      if (!principal) throw new Error('A caller without a credential has no name')
      return (name ??= beforeDatabaseDeadline(ctx, nameActor(em, principal.userId, principal.tokenId)))
    },
    noteWait(milliseconds) {
      state.waited += milliseconds
    },
    requireSender: (kind) => requireSender(ctx, kind),
    noteSignal(signalId) {
      state.signalId = signalId
    },
  }
}
