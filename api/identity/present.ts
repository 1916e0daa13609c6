import { findUser, type UserRecord } from '#db/identity/users.ts'
import { unauthenticated } from '../access/credential.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import type { AuditRecord } from '#db/identity/audit-log.ts'
import type { SessionRecord } from '#db/identity/sessions.ts'
import type { TokenRecord } from '#db/identity/token-management.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import { presentAs, toIsoInstant } from '../http/presentation.ts'
import {
  sessionItemAnswer,
  tokenAnswer,
  userAnswer,
  type AuditEventAnswer,
  type SessionItemAnswer,
  type TokenAnswer,
  type TokenBoundsAnswer,
  type UserAnswer,
} from '#contract/identity/answers.ts'

export function withSession(caller: Caller): Caller<SignedIn> {
  const { sessionId } = caller.principal
  if (sessionId === null) throw unauthenticated()
  return { ...caller, principal: { ...caller.principal, sessionId } }
}

export async function ownUser({ em, principal }: Caller<SignedIn>): Promise<UserRecord> {
  const user = await findUser(em, principal.userId)
  if (!user) throw unauthenticated()
  return user
}

export async function ownUserWithSecondFactor(caller: Caller<SignedIn>): Promise<UserRecord> {
  const user = await ownUser(caller)
  if (!user.hasSecondFactor) throw new ApiError('MFA_NOT_ENABLED')
  return user
}

export const presentUser = (user: UserRecord): UserAnswer =>
  presentAs(userAnswer, user, { mfaEnabled: user.hasSecondFactor })

export const presentBounds = ({
  accountIds,
  symbols,
  maxOrderValue,
  ...flags
}: TokenBounds): TokenBoundsAnswer => ({
  ...flags,
  ...(accountIds && { accountIds: [...accountIds] }),
  ...(symbols && { symbols: [...symbols] }),
  ...(maxOrderValue !== undefined && { maxOrderValue: Number(maxOrderValue) }),
})

export const presentToken = (token: TokenRecord): TokenAnswer =>
  presentAs(tokenAnswer, token, {
    bounds: presentBounds(token.bounds),
    isExpired: token.expiresAt !== null && token.expiresAt.getTime() <= Date.now(),
    isReadOnly: token.kind === 'desktop',
  })

const presentSession = (session: SessionRecord, currentId: string | null): SessionItemAnswer =>
  presentAs(sessionItemAnswer, session, { isCurrent: session.id === currentId })

export const presentSessions = (sessions: readonly SessionRecord[], currentId: string | null) => ({
  sessions: sessions.map((session) => presentSession(session, currentId)),
  total: sessions.length,
  limit: sessions.length,
  offset: 0,
})

export const presentAuditEvent = (event: AuditRecord): AuditEventAnswer => ({
  id: event.sequence,
  kind: event.kind,
  at: toIsoInstant(event.at),
  actorId: event.actorId,
  ip: event.ip,
  requestId: event.requestId,
  data: event.data,
})
