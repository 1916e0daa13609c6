import type { Origin } from '../http/caller.ts'
import type { IdentityDeps } from './deps.ts'
import { audit } from './audit.ts'
import { hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { type UserRecord, findUser, findUserByEmail, lockUser } from '#db/identity/users.ts'
import { isShapedLikeBackupCode, isCodeOf } from './second-factor.ts'
import { sendWarning } from './email-delivery.ts'
import { findOneTimeSecret, insertOneTimeSecret, useOneTimeSecret } from '#db/identity/one-time-secrets.ts'
import { isRightPassword } from './password-hash.ts'
import { openSession, type OpenedSession, type DeviceOwner, knownDeviceId } from './sessions.ts'
import { countAttempt, forgiveAttempts, addressKey, signInDenied, tooManyAttempts } from './attempts.ts'

export type SignInCodeDeps = Pick<
  IdentityDeps,
  'limits' | 'secretKeys' | 'deviceKeys' | 'background' | 'mailer' | 'emailTemplates'
>

/** Six-digit codes also count by account over all devices; backup codes do not. Throws RATE_LIMIT_EXCEEDED. */
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
    deps.background.run('the notice of many wrong codes', () =>
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
    // The later of concurrent requests keeps its code.
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

/** Throws UNAUTHENTICATED, in equal time and words for any fault. */
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

function deviceKey(
  { deviceKeys }: Pick<IdentityDeps, 'deviceKeys'>,
  owner: DeviceOwner | null,
  deviceToken: string | null,
): string | null {
  const deviceId = owner && deviceToken !== null ? knownDeviceId(deviceKeys, owner, deviceToken) : null
  return deviceId === null ? null : `device:${deviceId}`
}
