import type { EntityManager } from '#db/engine/database.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import type { ApiContext } from './context.ts'
import { readCookie } from './cookies.ts'
import { beforeDatabaseDeadline, limitOfStatement } from './database-deadline.ts'
import type { Principal } from './principal.ts'
import { requireSender } from './sender.ts'
import type { WorkKind } from './work-bounds.ts'

export const DEVICE_COOKIE = 'dt-device'

/** For commands, which never see the request itself. P is null without a credential. */
export interface Caller<P extends Principal | null = Principal> {
  principal: P
  em: EntityManager
  requestId: string
  ip: string
  userAgent: string
  deviceToken: string | null
  /** Milliseconds of `performance.now()` at which the request arrived. */
  receivedAt: number
  /** Bounds database work without which there is no answer. Throws {@link ApiError} DATABASE_UNAVAILABLE. */
  beforeDatabaseDeadline: <T>(work: Promise<T>) => Promise<T>
  /** Milliseconds for a statement that must have no effect once the request is refused. */
  limitOfStatement: () => number
  /** The principal as timelines show it: a person's address, with the label of the token. Looked up once. */
  actorName(): Promise<string>
  /** The wait for the caller's own other work, which is no delay of the database. */
  noteWait(milliseconds: number): void
  /** After a wait. Throws {@link SenderGone} where the sender has hung up and the work does not stand. */
  requireSender(kind: WorkKind): void
  noteSignal(signalId: string): void
}

export type Origin = Pick<Caller<Principal | null>, 'ip' | 'userAgent' | 'deviceToken' | 'requestId'>

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
