import type { EntityManager } from '#db/engine/database.ts'
import {
  insertRefreshToken,
  lockRefreshToken,
  markRefreshTokenUsed,
  type RefreshTokenRecord,
} from '#db/identity/refresh-tokens.ts'
import { endSessions, insertSession } from '#db/identity/sessions.ts'
import { audit } from './audit.ts'
import { lockUser, type UserRecord } from '#db/identity/users.ts'
import { isSameHash } from '../http/access-token.ts'
import type { SignedIn } from '../access/policy.ts'
import { type Caller, type Origin, DEVICE_COOKIE } from '../http/caller.ts'
import type { ApiContext } from '../http/context.ts'
import {
  hashOpaqueSecret,
  mintOpaqueSecret,
  type OpaqueSecret,
  ACCESS_JWT_SECONDS,
  signAccessJwt,
  type SigningKeys,
} from '../access/access-jwt.ts'
import { createHmac, randomBytes } from 'node:crypto'
import type { CookieDoor, CookieJar } from '../http/cookies.ts'
import { ApiError } from '#contract/errors.ts'
import type { SignedInAnswer } from '#contract/identity/answers.ts'
import { presentUser } from './present.ts'

/** Milliseconds; an answer was lost, or two tabs asked. */
const REFRESH_GRACE_MS = 10_000

/** Token and salt are never stored together: neither alone leads to the next token. */
export const newSuccessorSalt = (): string => randomBytes(32).toString('base64url')

export function successorOf(token: string, salt: string): OpaqueSecret {
  const text = createHmac('sha256', token).update(salt).digest('base64url')
  return { text, hash: hashOpaqueSecret(text) }
}

const SESSION_DAYS = 30
const MAX_NAME = 200

export interface OpenedSession {
  userId: string
  sessionId: string
  refreshToken: string
  /** Shown once, constant for a cookie's session; null for programs and renewals. */
  renewalKey: string | null
}

export interface PresentedSession {
  refreshToken: string
  renewalKey: string | null
  isInCookie: boolean
}

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

/** All ports of a host share cookies; only our page has the second half. */
function isWhole({ keyHash }: RefreshTokenRecord, { renewalKey, isInCookie }: PresentedSession): boolean {
  if (keyHash === null) return !isInCookie
  return renewalKey !== null && isSameHash(hashOpaqueSecret(renewalKey), keyHash)
}

/** A used token briefly gets its successor again; later it counts as stolen and ends the session. */
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

/** Whether the session has ended; half a session ends nothing. */
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

const COOKIE = 'dt-refresh'
const SECONDS = SESSION_DAYS * 24 * 60 * 60

export type SessionPlace = { keep: 'token'; jar: CookieJar | null } | { keep: 'cookie'; jar: CookieJar }

/** Must precede other effects. Throws ORIGIN_REFUSED for another page's cookie. */
export function placeOfSession(
  cookies: CookieDoor,
  http: ApiContext,
  keep: SessionPlace['keep'],
): SessionPlace {
  const jar = cookies.jarOf(http)
  if (keep === 'token') return { keep, jar }
  if (!jar) throw new ApiError('ORIGIN_REFUSED')
  return { keep, jar }
}

const keepRefreshToken = (jar: CookieJar, refreshToken: string): void =>
  jar.keep(COOKIE, refreshToken, SECONDS)

export const forgetRefreshToken = (jar: CookieJar): void => jar.remove(COOKIE)

/** The body precedes the cookie. Throws ORIGIN_REFUSED for another page's cookie. */
export function presentedSession(
  cookies: CookieDoor,
  http: ApiContext,
  refreshToken: string | undefined,
): { session: PresentedSession; place: SessionPlace } | null {
  const renewalKey = http.get('Renewal-Key') || null
  if (refreshToken !== undefined)
    return {
      session: { refreshToken, renewalKey, isInCookie: false },
      place: placeOfSession(cookies, http, 'token'),
    }
  const inCookie = cookies.read(http, COOKIE)
  if (inCookie === null) return null
  return {
    session: { refreshToken: inCookie, renewalKey, isInCookie: true },
    place: placeOfSession(cookies, http, 'cookie'),
  }
}

export const handOutSessions =
  (signingKeys: SigningKeys, rememberDevice: RememberDevice) =>
  (place: SessionPlace, session: OpenedSession, user?: UserRecord): SignedInAnswer => {
    const { refreshToken, renewalKey } = session
    if (place.keep === 'cookie') keepRefreshToken(place.jar, refreshToken)
    if (user) rememberDevice(place.jar, user)
    return {
      accessToken: signAccessJwt(signingKeys, session),
      expiresIn: ACCESS_JWT_SECONDS,
      ...(place.keep === 'token' && { refreshToken }),
      ...(renewalKey !== null && { renewalKey }),
      ...(user && { user: presentUser(user) }),
    }
  }

export type HandOutSession = ReturnType<typeof handOutSessions>

/** Days without a sign-in. */
const KNOWN_DEVICE_DAYS = 365

export interface DeviceKeys {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

export interface DeviceOwner {
  id: string
  passwordHash: string | null
}

/** Separates attempts, so that strangers lock no person out (OWASP). */
export function newDeviceToken(
  { current, keys }: DeviceKeys,
  owner: DeviceOwner,
  nowMs = Date.now(),
): string {
  const deviceId = randomBytes(16).toString('base64url')
  const since = Math.floor(nowMs / 1_000).toString(36)
  return [current, deviceId, since, signature(keys.get(current)!, owner, deviceId, since)].join('.')
}

const DEVICE_SHAPE = /^([\w-]{1,32})\.([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/

/** Null for an unknown device. */
export function knownDeviceId(
  { keys }: DeviceKeys,
  owner: DeviceOwner,
  token: string,
  nowMs = Date.now(),
): string | null {
  const [, keyId = '', deviceId = '', since = '', signed = ''] = DEVICE_SHAPE.exec(token) ?? []
  const key = keys.get(keyId)
  if (!key || !isSameHash(signed, signature(key, owner, deviceId, since))) return null
  const age = nowMs - Number.parseInt(since, 36) * 1_000
  return age <= KNOWN_DEVICE_DAYS * 24 * 60 * 60 * 1_000 ? deviceId : null
}

// JSON keeps the parts apart.
const signature = (key: Buffer, { id, passwordHash }: DeviceOwner, deviceId: string, since: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([id, passwordHash, deviceId, since]))
    .digest('base64url')

/** Null for programs. */
export type RememberDevice = (jar: CookieJar | null, owner: DeviceOwner) => void

/** Outlives the session. */
export const deviceCookie =
  (keys: DeviceKeys): RememberDevice =>
  (jar, owner) =>
    jar?.keep(DEVICE_COOKIE, newDeviceToken(keys, owner), KNOWN_DEVICE_DAYS * 24 * 60 * 60)
