import { createHmac, randomBytes } from 'node:crypto'
import { isSameHash } from '../http/access-token.ts'
import { DEVICE_COOKIE, type Origin } from '../http/caller.ts'
import type { CookieJar } from '../http/cookies.ts'
import { ApiError } from '#contract/errors.ts'
import type { AttemptKind, RateLimitState } from '../access/policy.ts'
import type { Limits } from '../access/limits.ts'
import { type IdentityDeps, audit } from './deps.ts'
import { hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { type UserRecord, findUser, findUserByEmail, lockUser } from '#db/identity/users.ts'
import { isShapedLikeBackupCode, isCodeOf } from './second-factor.ts'
import { sendWarning } from './registration.ts'
import { findOneTimeSecret, insertOneTimeSecret, useOneTimeSecret } from '#db/identity/one-time-secrets.ts'
import { isRightPassword } from './passwords.ts'
import { openSession, type OpenedSession } from './sessions.ts'

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

/** Signs nobody in: attempts are counted apart, so that strangers lock nobody out (OWASP). */
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

/** Null for a device that its owner does not know. */
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

// JSON keeps the parts apart whatever they hold.
const signature = (key: Buffer, { id, passwordHash }: DeviceOwner, deviceId: string, since: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([id, passwordHash, deviceId, since]))
    .digest('base64url')

/** A program, which has no jar, is not remembered. */
export type RememberDevice = (jar: CookieJar | null, owner: DeviceOwner) => void

/** Kept past the end of the session: it counts for the next sign-in. */
export const deviceCookie =
  (keys: DeviceKeys): RememberDevice =>
  (jar, owner) =>
    jar?.keep(DEVICE_COOKIE, newDeviceToken(keys, owner), KNOWN_DEVICE_DAYS * 24 * 60 * 60)

/** Strangers share one count; a session or known device has its own, which strangers cannot use up. */
export interface AttemptCount {
  account: string
  apart: string | null
}

/** Before the attempt is judged: a burst cannot try more often. Throws RATE_LIMIT_EXCEEDED. */
export async function countAttempt(
  limits: Limits,
  kind: AttemptKind,
  { account, apart }: AttemptCount,
): Promise<void> {
  const state = await limits.countAttempt(kind, apart ?? account)
  if (!state.isAllowed) throw tooManyAttempts(state, 'wait, use a device it knows, or reset the password')
}

export async function forgiveAttempts(
  limits: Limits,
  kind: AttemptKind,
  { account, apart }: AttemptCount,
): Promise<void> {
  if (apart !== null) await limits.forgive(kind, apart)
  await limits.forgive(kind, account)
}

export const addressKey = (email: string): string => hashOpaqueSecret(email.toLowerCase())

export const sessionKey = (sessionId: string): string => `session:${sessionId}`

export function deviceKey(
  { deviceKeys }: Pick<IdentityDeps, 'deviceKeys'>,
  owner: DeviceOwner | null,
  deviceToken: string | null,
): string | null {
  const deviceId = owner && deviceToken !== null ? knownDeviceId(deviceKeys, owner, deviceToken) : null
  return deviceId === null ? null : `device:${deviceId}`
}

export const signInDenied = (): ApiError =>
  new ApiError('UNAUTHENTICATED', { message: 'The address, password or code is wrong' })

/** Names the account's limit: that of the route did not refuse. `wayOut` tells the owner how to go on. */
export const tooManyAttempts = (
  { limit, remaining, resetSeconds }: RateLimitState,
  wayOut: string,
): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many wrong attempts on this account: ${wayOut}`,
    headers: {
      'Retry-After': String(resetSeconds),
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    },
  })

export type SignInCodeDeps = Pick<
  IdentityDeps,
  'limits' | 'secretKeys' | 'deviceKeys' | 'background' | 'mailer' | 'emailTemplates'
>

/** Six digits are counted by account too, over all devices; backup codes are not: they are the owner's way in
 * meanwhile. Throws RATE_LIMIT_EXCEEDED. */
export async function isSignInCode(
  deps: SignInCodeDeps,
  em: EntityManager,
  { user, code }: { user: UserRecord; code: string },
  caller: Origin,
): Promise<boolean> {
  const { limits } = deps
  const count = { account: user.id, apart: deviceKey(deps, user, caller.deviceToken) }
  await countAttempt(limits, 'secondFactor', count)
  const canBeGuessed = !isShapedLikeBackupCode(code)
  if (canBeGuessed) await countInAll(deps, user)
  if (!(await isCodeOf(deps, em, user.id, code))) return false
  await forgiveAttempts(limits, 'secondFactor', count)
  if (canBeGuessed) await limits.takeBack('secondFactorInAll', user.id)
  return true
}

async function countInAll(deps: SignInCodeDeps, user: UserRecord): Promise<void> {
  const state = await deps.limits.countAttempt('secondFactorInAll', user.id)
  if (state.isFirstRefusal)
    deps.background.run('telling of many wrong codes', () =>
      sendWarning(deps, deps.emailTemplates.manyCodesTried(user.email)),
    )
  if (!state.isAllowed) throw tooManyAttempts(state, 'use a backup code, or wait')
}

const SECOND_STEP_SECONDS = 5 * 60

export interface AddressAndPassword {
  email: string
  password: string
}

export type FirstStep =
  { isComplete: true; user: UserRecord; session: OpenedSession } | { isComplete: false; mfaToken: string }

export async function signIn(
  deps: Pick<IdentityDeps, 'limits' | 'deviceKeys'>,
  em: EntityManager,
  { keep, ...credentials }: AddressAndPassword & { keep: 'token' | 'cookie' },
  caller: Origin,
): Promise<FirstStep> {
  const proven = await userWithPassword(deps, em, credentials, caller)
  return em.transactional(async (inner): Promise<FirstStep> => {
    const user = await lockUnchanged(inner, proven)
    if (user.hasSecondFactor) {
      const { text, hash } = mintOpaqueSecret()
      const seconds = SECOND_STEP_SECONDS
      await insertOneTimeSecret(inner, { hash, userId: user.id, purpose: 'second_factor', seconds })
      return { isComplete: false, mfaToken: text }
    }
    const session = await openSession(inner, user.id, caller, { hasSecondFactor: false, keep })
    await audit(inner, 'sign_in.succeeded', user.id, caller, { sessionId: session.sessionId })
    return { isComplete: true, user, session }
  })
}

export async function completeSignIn(
  deps: SignInCodeDeps,
  em: EntityManager,
  { mfaToken, code, keep }: { mfaToken: string; code: string; keep: 'token' | 'cookie' },
  caller: Origin,
): Promise<{ user: UserRecord; session: OpenedSession }> {
  const hash = hashOpaqueSecret(mfaToken)
  const pending = await findOneTimeSecret(em, hash, 'second_factor')
  if (!pending) throw signInDenied()
  const { userId } = pending
  const session = await em.transactional(async (inner) => {
    const user = await lockUser(inner, userId)
    if (!user || user.isDisabled) throw signInDenied()
    if (!(await isSignInCode(deps, inner, { user, code }, caller))) return null
    // Of two requests with the same secret and different codes the later one keeps its code.
    if (!(await useOneTimeSecret(inner, hash, 'second_factor'))) throw signInDenied()
    const opened = await openSession(inner, userId, caller, { hasSecondFactor: true, keep })
    await audit(inner, 'sign_in.succeeded', userId, caller, {
      sessionId: opened.sessionId,
      secondFactor: true,
    })
    return opened
  })
  const user = await findUser(em, userId)
  if (session && user) return { user, session }
  await audit(em, 'sign_in.second_factor_failed', userId, caller)
  throw signInDenied()
}

/** Throws UNAUTHENTICATED, in the same time and words whatever was wrong. */
export async function userWithPassword(
  { limits, deviceKeys }: Pick<IdentityDeps, 'limits' | 'deviceKeys'>,
  em: EntityManager,
  { email, password }: AddressAndPassword,
  caller: Origin,
): Promise<UserRecord> {
  const user = await findUserByEmail(em, email)
  const count = { account: addressKey(email), apart: deviceKey({ deviceKeys }, user, caller.deviceToken) }
  await countAttempt(limits, 'password', count)
  const isRight = await isRightPassword(user?.passwordHash ?? null, password)
  if (!user || !isRight || user.isDisabled) {
    await audit(em, 'sign_in.failed', user?.id ?? null, caller)
    throw signInDenied()
  }
  await forgiveAttempts(limits, 'password', count)
  return user
}

export async function lockUnchanged(em: EntityManager, proven: UserRecord): Promise<UserRecord> {
  const user = await lockUser(em, proven.id)
  if (!user || user.isDisabled || user.passwordHash !== proven.passwordHash) throw signInDenied()
  return user
}
