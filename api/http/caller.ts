import type { EntityManager } from '#db/engine/database.ts'
import type { WorkKind } from './work-bounds.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import { readCookie } from './cookies.ts'
import { beforeDatabaseDeadline, limitOfStatement } from './deadline.ts'
import type { ApiContext } from './context.ts'
import type { Principal } from './principal.ts'

export class SenderGone extends Error {
  override readonly name = 'SenderGone'
}

/** The status in log and metrics. */
export const SENDER_GONE = 499

type Request = Pick<ApiContext, 'req' | 'res' | 'method' | 'state'>

export const isSenderGone = ({ req, res }: Pick<Request, 'req' | 'res'>): boolean =>
  req.socket.destroyed || res.destroyed

/** Milliseconds; a shorter wait counts as none. */
const WAITED = 5

/** A person whose phone has lost its connection after "stop" has said stop; a program sends a signal again. */
const STANDS_ONCE_ARRIVED: Readonly<Record<WorkKind, boolean>> = {
  trading: true,
  stopping: true,
  signals: false,
  entries: false,
  reading: false,
  ordinary: false,
  broker: false,
}

export const standsOnceArrived = (kind: WorkKind | null): boolean =>
  kind !== null && STANDS_ONCE_ARRIVED[kind]

/** Throws {@link SenderGone} for a reading without a sender, and for a change that waited and does not stand:
 * it may come again. Other changes are done: some senders never wait for an answer. */
export function requireSender(ctx: Request, kind: WorkKind | null): void {
  if (!isSenderGone(ctx)) return
  const isInVain = ctx.state.waited >= WAITED && !standsOnceArrived(kind)
  if (isReading(ctx.method) || isInVain) throw new SenderGone()
}

export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

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
