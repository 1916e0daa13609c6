import type { EntityManager } from '#db/engine/database.ts'
import {
  discardOneTimeSecrets,
  findOneTimeSecret,
  useOneTimeSecret,
  insertOneTimeSecret,
} from '#db/identity/one-time-secrets.ts'
import { endSessions } from '#db/identity/sessions.ts'
import { findUser, findUserByEmail, lockUser, setPasswordHash, type UserRecord } from '#db/identity/users.ts'
import { ApiError, fault, validationError } from '#contract/errors.ts'
import type { DeviceOwner } from './sessions.ts'
import { addressKey, forgiveAttempts } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'
import { audit } from './audit.ts'
import { withPasswordAndCode, type Proof } from './verification.ts'
import { sendEmail, sendWarning } from './email-delivery.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller, Origin } from '../http/caller.ts'
import { hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'
import { passwordFault } from '#contract/identity/password-rules.ts'
import { hashPassword } from './password-hash.ts'

const RESET_SECONDS = 30 * 60

export function checkNewPassword(password: string, email: string, field: string): void {
  const wrong = passwordFault(password, email)
  if (wrong !== null) throw validationError([fault([field], 'weak_password', `${field} ${wrong}`)])
}

/** Ends the other sessions; returns the new hash. */
export async function changePassword(
  deps: IdentityDeps,
  caller: Caller<SignedIn>,
  { user, proof }: { user: UserRecord; proof: Proof },
  newPassword: string,
): Promise<string> {
  checkNewPassword(newPassword, user.email, 'newPassword')
  const passwordHash = await hashPassword(newPassword)
  await withPasswordAndCode(deps, caller, { user, proof }, async (inner) => {
    await setPasswordHash(inner, user.id, passwordHash)
    await discardOneTimeSecrets(inner, user.id, 'password_reset')
    await discardOneTimeSecrets(inner, user.id, 'second_factor')
    const ended = await endSessions(
      inner,
      user.id,
      { except: caller.principal.sessionId },
      'password_changed',
    )
    await audit(inner, 'password.changed', user.id, caller, { endedSessions: ended.length })
  })
  deps.background.run('the notice of a new password', () =>
    sendWarning(deps, deps.emailTemplates.passwordChanged(user.email)),
  )
  return passwordHash
}

export function requestPasswordReset(
  deps: IdentityDeps,
  em: EntityManager,
  email: string,
  caller: Origin,
): void {
  deps.background.run('sending a link to reset a password', async () => {
    const own = em.fork()
    const user = await findUserByEmail(own, email)
    await audit(own, 'password.reset_requested', user?.id ?? null, caller)
    if (!user || user.isDisabled) return
    const secret = await makePasswordSecret(own, user.id, RESET_SECONDS)
    await sendEmail(deps, deps.emailTemplates.resetPassword(user.email, secret), caller)
  })
}

/** Ends all sessions. The next sign-in still needs a second factor. Throws LINK_INVALID. */
export async function resetPassword(
  deps: IdentityDeps,
  em: EntityManager,
  { token, password }: { token: string; password: string },
  caller: Origin,
): Promise<DeviceOwner & { hasSecondFactor: boolean }> {
  const hash = hashOpaqueSecret(token)
  const found = await findOneTimeSecret(em, hash, 'password_reset')
  const user = found && (await findUser(em, found.userId))
  if (!user) throw new ApiError('LINK_INVALID')
  checkNewPassword(password, user.email, 'password')
  const passwordHash = await hashPassword(password)
  const hasSecondFactor = await em.transactional(async (inner) => {
    const now = await lockUser(inner, user.id)
    if (!(await useOneTimeSecret(inner, hash, 'password_reset'))) throw new ApiError('LINK_INVALID')
    await setPasswordHash(inner, user.id, passwordHash)
    await discardOneTimeSecrets(inner, user.id, 'password_reset')
    await discardOneTimeSecrets(inner, user.id, 'second_factor')
    const ended = await endSessions(inner, user.id, 'all', 'password_reset')
    await audit(inner, 'password.reset', user.id, caller, { endedSessions: ended.length })
    return now?.hasSecondFactor ?? user.hasSecondFactor
  })
  await forgiveAttempts(deps.limits, 'password', { account: addressKey(user.email), apart: null })
  deps.background.run('the notice of a new password', () =>
    sendWarning(deps, deps.emailTemplates.passwordChanged(user.email)),
  )
  return { id: user.id, passwordHash, hasSecondFactor }
}

export async function makePasswordSecret(
  em: EntityManager,
  userId: string,
  seconds: number,
): Promise<string> {
  const { text, hash } = mintOpaqueSecret()
  await insertOneTimeSecret(em, { hash, userId, purpose: 'password_reset', seconds })
  return text
}
