import { randomInt } from 'node:crypto'
import { USER_CODE_ALPHABET, USER_CODE_LENGTH } from '#contract/identity/requests.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { decideDeviceGrant, insertDeviceGrant, pollDeviceGrant } from '#db/identity/device-grants.ts'
import { findSessionHolder, insertSession } from '#db/identity/sessions.ts'
import { insertToken } from '#db/identity/token-management.ts'
import { findUser, lockUser, type UserRecord } from '#db/identity/users.ts'
import { mintAccessToken } from '../http/access-token.ts'
import type { Scope } from '#domain/risk/token-bounds.ts'
import { ApiError } from '#contract/errors.ts'
import { unauthenticated } from '../access/credential.ts'
import {
  isSignInCode,
  type SignInCodeDeps,
  lockUnchanged,
  userWithPassword,
  type AddressAndPassword,
} from './sign-in.ts'
import { signInDenied } from './attempts.ts'
import { audit } from './audit.ts'
import type { Origin } from '../http/caller.ts'
import { hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'

export function newUserCode(): string {
  const code = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  ).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A desktop companion only reads. */
const DESKTOP_SCOPES: readonly Scope[] = ['trading:read', 'accounts:read']
const DESKTOP_DAYS = 365
const GRANT_SECONDS = 10 * 60
/** Initial interval (RFC 8628, section 3.2). */
const POLL_SECONDS = 5

export interface SignedInDevice {
  user: UserRecord
  token: string
  expiresAt: Date
}

/** Throws MFA_REQUIRED when only the code is missing, and UNAUTHENTICATED otherwise. */
export async function signInDesktop(
  deps: SignInCodeDeps,
  em: EntityManager,
  {
    code,
    deviceName,
    ...credentials
  }: AddressAndPassword & { code?: string | undefined; deviceName: string },
  caller: Origin,
): Promise<SignedInDevice> {
  const proven = await userWithPassword(deps, em, credentials, caller)
  const device = await em.transactional(async (inner) => {
    const user = await lockUnchanged(inner, proven)
    if (!user.hasSecondFactor) return createDeviceSession(inner, user, deviceName, caller)
    if (code === undefined) throw new ApiError('MFA_REQUIRED')
    const isProven = await isSignInCode(deps, inner, { user, code }, caller)
    return isProven ? createDeviceSession(inner, user, deviceName, caller) : null
  })
  if (device) return device
  await audit(em, 'sign_in.second_factor_failed', proven.id, caller)
  throw signInDenied()
}

async function createDeviceSession(
  em: EntityManager,
  user: UserRecord,
  deviceName: string,
  caller: Origin,
): Promise<SignedInDevice> {
  const userId = user.id
  const sessionId = await insertSession(em, {
    userId,
    kind: 'desktop',
    name: deviceName,
    ip: caller.ip,
    hasSecondFactor: user.hasSecondFactor,
    days: DESKTOP_DAYS,
  })
  const { token, hash, prefix } = mintAccessToken()
  const expiresAt = new Date(Date.now() + DESKTOP_DAYS * 24 * 60 * 60 * 1_000)
  await insertToken(em, {
    userId,
    kind: 'desktop',
    label: deviceName,
    hash,
    prefix,
    scopes: DESKTOP_SCOPES,
    expiresAt,
    sessionId,
  })
  await audit(em, 'sign_in.succeeded', userId, caller, { sessionId, device: deviceName })
  return { user, token, expiresAt }
}

export interface BegunGrant {
  deviceCode: string
  userCode: string
  expiresIn: number
  interval: number
}

export async function beginDeviceGrant(
  em: EntityManager,
  deviceName: string,
  caller: Origin,
): Promise<BegunGrant> {
  const { text, hash } = mintOpaqueSecret()
  for (;;) {
    const userCode = newUserCode()
    const grant = { deviceHash: hash, userCode, deviceName, ip: caller.ip, seconds: GRANT_SECONDS }
    if (await insertDeviceGrant(em, grant))
      return { deviceCode: text, userCode, expiresIn: GRANT_SECONDS, interval: POLL_SECONDS }
  }
}

/** Throws DEVICE_CODE_NOT_FOUND, and UNAUTHENTICATED for an ended session. */
export const decideDevice = (
  em: EntityManager,
  {
    userCode,
    userId,
    sessionId,
    isApproved,
  }: { userCode: string; userId: string; sessionId: string; isApproved: boolean },
  caller: Origin,
): Promise<void> =>
  em.transactional(async (inner) => {
    // An ending session waits for this lock: nothing is approved afterwards.
    await lockUser(inner, userId)
    if (!(await findSessionHolder(inner, userId, sessionId, null))) throw unauthenticated()
    const decided = await decideDeviceGrant(inner, userCode, userId, isApproved ? 'approved' : 'denied')
    if (!decided) throw new ApiError('DEVICE_CODE_NOT_FOUND')
    await audit(inner, isApproved ? 'device.approved' : 'device.denied', userId, caller, { userCode })
  })

/** Redeems once. Throws AUTHORIZATION_PENDING, SLOW_DOWN, ACCESS_DENIED or EXPIRED_TOKEN (RFC 8628, section 3.5). */
export async function redeemDeviceGrant(
  em: EntityManager,
  deviceCode: string,
  caller: Origin,
): Promise<SignedInDevice> {
  const poll = await em.transactional(async (inner) => {
    const grant = await pollDeviceGrant(inner, hashOpaqueSecret(deviceCode))
    if (grant.state !== 'approved') return grant.state
    const user = await findUser(inner, grant.userId)
    return user && !user.isDisabled ? createDeviceSession(inner, user, grant.deviceName, caller) : 'denied'
  })
  switch (poll) {
    case 'pending':
      throw new ApiError('AUTHORIZATION_PENDING')
    case 'too_soon':
      throw new ApiError('SLOW_DOWN')
    case 'denied':
      throw new ApiError('ACCESS_DENIED')
    case 'expired':
    case 'unknown':
      throw new ApiError('EXPIRED_TOKEN')
    default:
      return poll
  }
}
