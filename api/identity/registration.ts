import { type SigningKeys, hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'
import { isSameHash } from '../http/access-token.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { addressBucket } from '../access/address-limits.ts'
import type { Origin, Caller } from '../http/caller.ts'
import type { Mail, Mailer } from '../mail/mail.ts'
import { addressKey, type AddressAndPassword, countAttempt, forgiveAttempts, sessionKey } from './sign-in.ts'
import { type IdentityDeps, audit } from './deps.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  discardPendingRegistrations,
  findPendingRegistration,
  insertPendingRegistration,
} from '#db/identity/pending-registrations.ts'
import { findUserByEmail, insertUser, isNobodyThere, type UserRecord, lockUser } from '#db/identity/users.ts'
import { ApiError, type ErrorCode } from '#contract/errors.ts'
import { hashPassword, isRightPassword } from './passwords.ts'
import { recordVerification } from '#db/identity/sessions.ts'
import type { SignedIn } from '../access/policy.ts'
import { isSecondFactor } from './second-factor.ts'

/** Keeps strangers from taking over a new installation. Derived from the keys: all replicas have the same. */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

export const isSetupSecret = (given: string, right: string): boolean =>
  isSameHash(hashOpaqueSecret(given), hashOpaqueSecret(right))

const EMAIL_RETRIES_MS = [1_000, 5_000, 20_000]

type Delivery = Pick<IdentityDeps, 'mailer' | 'limits'>

/** Bounded by address against floods, and by asking stranger against using up the owner's count. */
export async function sendEmail(
  { mailer, limits }: Delivery,
  mail: Mail,
  { ip }: Pick<Origin, 'ip'>,
): Promise<void> {
  const recipient = addressKey(mail.to)
  for (const [kind, key] of [
    ['mail', `${recipient}:${addressBucket(ip)}`],
    ['mailInAll', recipient],
  ] as const)
    if (!(await limits.countAttempt(kind, key)).isAllowed) return
  await deliver(mailer, mail)
}

/** No count, which a stranger could use up; each takes a password, a link or a code to cause. */
export const sendWarning = ({ mailer }: Pick<Delivery, 'mailer'>, mail: Mail): Promise<void> =>
  deliver(mailer, mail)

async function deliver(mailer: Mailer, mail: Mail): Promise<void> {
  for (const wait of EMAIL_RETRIES_MS) {
    try {
      await mailer.send(mail)
      return
    } catch {
      // The last try reports what is wrong.
      await pause(wait)
    }
  }
  await mailer.send(mail)
}

const CONFIRMATION_SECONDS = 24 * 60 * 60

/** Null: confirmed by mail, known or not. Throws REGISTRATION_CLOSED and SETUP_SECRET_WRONG. */
export async function register(
  deps: IdentityDeps,
  em: EntityManager,
  { email, password, setupSecret }: AddressAndPassword & { setupSecret?: string | undefined },
  caller: Origin,
): Promise<UserRecord | null> {
  const { REGISTRATION } = deps.settings
  if (REGISTRATION === 'closed') throw new ApiError('REGISTRATION_CLOSED')
  // Before anything is looked up: known and unknown addresses take the same time.
  const passwordHash = await hashPassword(password)
  if (REGISTRATION === 'first-user')
    return registerFirstUser(deps, em, { email, passwordHash, setupSecret }, caller)
  const { text, hash } = mintOpaqueSecret()
  // Stored for known addresses too, with a secret that nobody gets: both take the same way.
  await insertPendingRegistration(em, { hash, email, passwordHash, seconds: CONFIRMATION_SECONDS })
  deps.background.run('answering a registration', async () => {
    const known = await findUserByEmail(em.fork(), email)
    await audit(em.fork(), 'user.registration_requested', known?.id ?? null, caller)
    const message = known
      ? deps.emailTemplates.alreadyRegistered(known.email)
      : deps.emailTemplates.confirmRegistration(email, text)
    await sendEmail(deps, message, caller)
  })
  return null
}

async function registerFirstUser(
  { settings }: IdentityDeps,
  em: EntityManager,
  {
    email,
    passwordHash,
    setupSecret = '',
  }: { email: string; passwordHash: string; setupSecret: string | undefined },
  caller: Origin,
): Promise<UserRecord> {
  return em.transactional(async (inner) => {
    if (!(await isNobodyThere(inner))) throw new ApiError('REGISTRATION_CLOSED')
    if (!isSetupSecret(setupSecret, settings.SETUP_SECRET)) throw new ApiError('SETUP_SECRET_WRONG')
    const { DEFAULT_PLAN: plan } = settings
    const user = await insertUser(inner, { email, passwordHash, role: 'admin', plan })
    if (!user) throw new ApiError('REGISTRATION_CLOSED')
    await audit(inner, 'user.registered', user.id, caller, { role: user.role })
    return user
  })
}

/** By the password too: a stranger could have others confirm. Throws LINK_INVALID and WRONG_PASSWORD. */
export async function confirmRegistration(
  { settings }: IdentityDeps,
  em: EntityManager,
  { token, password }: { token: string; password: string },
  caller: Origin,
): Promise<UserRecord> {
  const pending = await findPendingRegistration(em, hashOpaqueSecret(token))
  if (!pending) throw new ApiError('LINK_INVALID')
  if (!(await isRightPassword(pending.passwordHash, password))) throw new ApiError('WRONG_PASSWORD')
  return em.transactional(async (inner) => {
    const { email, passwordHash } = pending
    const user = await insertUser(inner, { email, passwordHash, role: 'member', plan: settings.DEFAULT_PLAN })
    if (!user) throw new ApiError('LINK_INVALID')
    await discardPendingRegistrations(inner, email)
    await audit(inner, 'user.registered', user.id, caller, { role: user.role })
    return user
  })
}

type VerificationDeps = Pick<IdentityDeps, 'limits' | 'secretKeys'>

export interface Proof {
  password?: string | undefined
  code?: string | undefined
}

interface UserAndProof {
  user: UserRecord
  proof: Proof
}

/** Throws WRONG_PASSWORD or WRONG_CODE. The code is used up only together with what it allows. */
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

/** Outside transactions: hashing takes long. By session: strangers must not keep a signed-in user out. */
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
