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

export const SENDER_GONE = 499

type Request = Pick<ApiContext, 'req' | 'res' | 'method' | 'state'>

export const isSenderGone = ({ req, res }: Pick<Request, 'req' | 'res'>): boolean =>
  req.socket.destroyed || res.destroyed

/** Milliseconds; a shorter wait counts as none. */
const WAITED = 5

/** An arrived stop takes effect without its sender; programs resend signals. */
const KEPT_ON_ARRIVAL: Readonly<Record<WorkKind, boolean>> = {
  trading: true,
  stopping: true,
  signals: false,
  entries: false,
  reading: false,
  ordinary: false,
  broker: false,
  exports: false,
}

export const isKeptOnArrival = (kind: WorkKind | null): boolean => kind !== null && KEPT_ON_ARRIVAL[kind]

/**
 * Throws {@link SenderGone} for a read, and for a change that waited and may be resent. Some senders never wait for an
 * answer.
 */
export function requireSender(ctx: Request, kind: WorkKind | null): void {
  if (!isSenderGone(ctx)) return
  const isInVain = ctx.state.waited >= WAITED && !isKeptOnArrival(kind)
  if (isReading(ctx.method) || isInVain) throw new SenderGone()
}

export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const DEVICE_COOKIE = 'dt-device'

/**
 * The request as commands see it.
 * @typeParam P null without a credential
 */
export interface Caller<P extends Principal | null = Principal> {
  principal: P
  em: EntityManager
  requestId: string
  ip: string
  userAgent: string
  deviceToken: string | null
  /** By `performance.now()`. */
  receivedAt: number
  /** Bounds work that the answer needs. Throws DATABASE_UNAVAILABLE. */
  beforeDatabaseDeadline: <T>(work: Promise<T>) => Promise<T>
  /** Milliseconds for statements without effect on a denied request. */
  limitOfStatement: () => number
  /** The person's address with the token's label. */
  actorName(): Promise<string>
  /** A wait for the caller's other work is no delay of the database. */
  noteWait(milliseconds: number): void
  /** Throws {@link SenderGone} where the sender's absence ends the work. */
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
