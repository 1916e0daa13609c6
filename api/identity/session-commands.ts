import type { EntityManager } from '#db/engine/database.ts'
import {
  insertRefreshToken,
  lockRefreshToken,
  markRefreshTokenUsed,
  type RefreshTokenRecord,
} from '#db/identity/refresh-tokens.ts'
import { endSessions, insertSession } from '#db/identity/sessions.ts'
import { audit } from './audit.ts'
import { lockUser } from '#db/identity/users.ts'
import { isSameHash } from '../http/access-token.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller, Origin } from '../http/caller.ts'
import { hashOpaqueSecret, mintOpaqueSecret, type OpaqueSecret } from '../access/opaque-secret.ts'
import { createHmac, randomBytes } from 'node:crypto'

/** Milliseconds in which a used token answers with its successor again: an answer was lost, or two tabs asked. */
const REFRESH_GRACE_MS = 10_000

/** A salt for {@link successorOf}; kept beside the used token until its successor is used. */
export const newSuccessorSalt = (): string => randomBytes(32).toString('base64url')

/**
 * The token that follows a used one. Both the used token's text, which is not stored, and the salt, which only
 * the database has, are needed to compute it: so it can be given out a second time without being stored, and
 * neither a stolen token nor a stolen database leads to the next.
 */
export function successorOf(token: string, salt: string): OpaqueSecret {
  const text = createHmac('sha256', token).update(salt).digest('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

/** After this many days a user signs in anew, however busy the session was. */
export const SESSION_DAYS = 30
const MAX_NAME = 200

/** A session of the web application and the secrets that renew it. */
export interface OpenedSession {
  userId: string
  sessionId: string
  /** To hand out once. */
  refreshToken: string
  /**
   * The second half of a session that is kept in a cookie, to hand out once: it stays the same as long as the session
   * lasts. Null for programs, and where it was handed out before.
   */
  renewalKey: string | null
}

/** By what a session is shown, to be renewed or ended. */
export interface PresentedSession {
  refreshToken: string
  renewalKey: string | null
  isInCookie: boolean
}

/** Signs a user in: call it in the transaction that used up what proved who they are. */
export async function openSession(
  em: EntityManager,
  userId: string,
  caller: Origin,
  { hasSecondFactor, keep }: { hasSecondFactor: boolean; keep: 'token' | 'cookie' },
): Promise<OpenedSession> {
  const sessionId = await insertSession(em, {
    userId,
    kind: 'web',
    name: caller.userAgent.slice(0, MAX_NAME),
    ip: caller.ip,
    hasSecondFactor,
    days: SESSION_DAYS,
  })
  const { text, hash } = mintOpaqueSecret()
  const renewalKey = keep === 'cookie' ? mintOpaqueSecret() : null
  const keyHash = renewalKey?.hash ?? null
  await insertRefreshToken(em, { hash, userId, sessionId, parentHash: null, keyHash })
  return { userId, sessionId, refreshToken: text, renewalKey: renewalKey?.text ?? null }
}

/**
 * Whether a session is shown whole. Every port of a host is sent its cookies and may write them, and the origin of a page
 * alone has the second half: so the token of a cookie is worth nothing without it, wherever it is shown, and a cookie that
 * was written elsewhere neither.
 */
function isWhole({ keyHash }: RefreshTokenRecord, { renewalKey, isInCookie }: PresentedSession): boolean {
  if (keyHash === null) return !isInCookie
  return renewalKey !== null && isSameHash(hashOpaqueSecret(renewalKey), keyHash)
}

/**
 * Exchanges a refresh token for its successor; null when it is refused. Half a session is refused without any effect on
 * it. A token that comes again shortly after
 * its use gets the same successor, because the answer may have been lost or two tabs have asked. One that comes
 * later, or after its successor was used, was stolen, whoever sends it: the session ends.
 */
export const renewSession = (
  em: EntityManager,
  presented: PresentedSession,
  caller: Origin,
): Promise<OpenedSession | null> =>
  em.transactional(async (inner) => {
    const { refreshToken } = presented
    const hash = hashOpaqueSecret(refreshToken)
    const token = await lockRefreshToken(inner, hash, REFRESH_GRACE_MS)
    if (!token || !isWhole(token, presented)) return null
    const { userId, sessionId, keyHash } = token
    const renewed = { userId, sessionId, renewalKey: null }
    if (!token.isUsed) {
      const salt = newSuccessorSalt()
      const successor = successorOf(refreshToken, salt)
      await markRefreshTokenUsed(inner, hash, salt)
      await insertRefreshToken(inner, {
        hash: successor.hash,
        userId,
        sessionId,
        parentHash: hash,
        keyHash,
      })
      return { ...renewed, refreshToken: successor.text }
    }
    if (token.isInGrace && token.successorSalt !== null)
      return { ...renewed, refreshToken: successorOf(refreshToken, token.successorSalt).text }
    await endSessions(inner, userId, { only: sessionId }, 'refresh_token_reused')
    await audit(inner, 'session.refresh_token_reused', userId, caller, { sessionId })
    return null
  })

/**
 * Ends the session that a refresh token belongs to, used or not; nothing happens when there is none. Answers whether it is
 * over: half a session ends nothing.
 */
export const closeSession = (
  em: EntityManager,
  presented: PresentedSession,
  caller: Origin,
): Promise<boolean> =>
  em.transactional(async (inner) => {
    const hash = hashOpaqueSecret(presented.refreshToken)
    const token = await lockRefreshToken(inner, hash, REFRESH_GRACE_MS)
    if (!token) return true
    if (!isWhole(token, presented)) return false
    await endSessions(inner, token.userId, { only: token.sessionId }, 'signed_out')
    await audit(inner, 'session.ended', token.userId, caller, {
      sessionId: token.sessionId,
      reason: 'signed_out',
    })
    return true
  })

/** Ends sessions of the caller's own and answers how many. */
export const endOwnSessions = (
  caller: Caller<SignedIn>,
  which: { only: string } | { except: string },
): Promise<number> =>
  caller.em.transactional(async (em) => {
    const { userId } = caller.principal
    await lockUser(em, userId)
    const ended = await endSessions(em, userId, which, 'revoked')
    for (const sessionId of ended)
      await audit(em, 'session.ended', userId, caller, { sessionId, reason: 'revoked' })
    return ended.length
  })
