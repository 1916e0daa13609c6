import type { Caller } from '../http/caller.ts'
import { addressKey, countAttempt, forgiveAttempts, sessionKey } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'
import { audit } from './audit.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { type UserRecord, lockUser } from '#db/identity/users.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { isRightPassword } from './password-hash.ts'
import { recordVerification } from '#db/identity/sessions.ts'
import type { SignedIn } from '../access/policy.ts'
import { isSecondFactor } from './second-factor.ts'

export type VerificationDeps = Pick<IdentityDeps, 'limits' | 'secretKeys'>

export interface Proof {
  password?: string | undefined
  code?: string | undefined
}

export interface UserAndProof {
  user: UserRecord
  proof: Proof
}

/** Uses up the code only with the allowed action. Throws WRONG_PASSWORD or WRONG_CODE. */
export async function withPasswordAndCode<T>(
  deps: VerificationDeps,
  caller: Caller<SignedIn>,
  proving: UserAndProof,
  allowed: (em: EntityManager) => Promise<T>,
): Promise<T> {
  await checkPassword(deps, caller, proving)
  return withCode(deps, caller, proving, allowed)
}

export async function renewVerification(
  deps: VerificationDeps,
  caller: Caller<SignedIn>,
  proving: UserAndProof,
): Promise<void> {
  const { user } = proving
  const { sessionId } = caller.principal
  if (!user.hasSecondFactor) await checkPassword(deps, caller, proving)
  await withCode(deps, caller, proving, async (inner) => {
    await recordVerification(inner, user.id, sessionId, user.hasSecondFactor)
    await audit(inner, 'verification.succeeded', user.id, caller, { sessionId })
  })
}

/** Outside transactions: hashing is slow. Counted by session: strangers must not lock users out. */
async function checkPassword(
  deps: VerificationDeps,
  caller: Caller<SignedIn>,
  proving: UserAndProof,
): Promise<void> {
  const { user, proof } = proving
  const { sessionId } = caller.principal
  const count = { account: addressKey(user.email), apart: sessionKey(sessionId) }
  await countAttempt(deps.limits, 'password', count)
  if (!(await isRightPassword(user.passwordHash, proof.password ?? '')))
    throw await refused('WRONG_PASSWORD', caller, user)
  await forgiveAttempts(deps.limits, 'password', count)
}

async function withCode<T>(
  deps: VerificationDeps,
  caller: Caller<SignedIn>,
  proving: UserAndProof,
  allowed: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const { user, proof } = proving
  const { em, principal } = caller
  const { sessionId } = principal
  const done = await em.transactional(async (inner) => {
    const now = await lockUser(inner, user.id)
    if (now?.passwordHash !== user.passwordHash) throw new ApiError('WRONG_PASSWORD')
    const attempt = { userId: user.id, code: proof.code ?? '', apart: sessionKey(sessionId) }
    const needsCode = user.hasSecondFactor || now.hasSecondFactor
    if (needsCode && !(await isSecondFactor(deps, inner, attempt))) return null
    return { result: await allowed(inner) }
  })
  if (done) return done.result
  throw await refused('WRONG_CODE', caller, user)
}

async function refused(
  code: ErrorCode & ('WRONG_PASSWORD' | 'WRONG_CODE'),
  caller: Caller<SignedIn>,
  user: UserRecord,
): Promise<ApiError> {
  await audit(caller.em, 'verification.failed', user.id, caller, { reason: code })
  return new ApiError(code)
}
