import { type SigningKeys, hashOpaqueSecret, mintOpaqueSecret } from '../access/access-jwt.ts'
import { isSameHash } from '../http/access-token.ts'
import type { Origin } from '../http/caller.ts'
import type { AddressAndPassword } from './sign-in.ts'
import type { IdentityDeps } from './deps.ts'
import { audit } from './audit.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  discardPendingRegistrations,
  findPendingRegistration,
  insertPendingRegistration,
} from '#db/identity/pending-registrations.ts'
import { findUserByEmail, insertUser, isUnreachable, type UserRecord } from '#db/identity/users.ts'
import { ApiError } from '#contract/errors.ts'
import { hashPassword, isRightPassword } from './password-hash.ts'
import { sendEmail } from './email-delivery.ts'

/** Keeps strangers from taking over a new installation; all replicas derive the same. */
export function setupSecretOf(chosen: string | undefined, keys: SigningKeys): string {
  return chosen ?? keys.keys.get(keys.current)!.toString('base64url')
}

const isSetupSecret = (given: string, right: string): boolean =>
  isSameHash(hashOpaqueSecret(given), hashOpaqueSecret(right))

const CONFIRMATION_SECONDS = 24 * 60 * 60

/** Null: to be confirmed by mail, known or not. Throws REGISTRATION_CLOSED and SETUP_SECRET_WRONG. */
export async function register(
  deps: IdentityDeps,
  em: EntityManager,
  { email, password, setupSecret }: AddressAndPassword & { setupSecret?: string | undefined },
  caller: Origin,
): Promise<UserRecord | null> {
  const { REGISTRATION } = deps.settings
  if (REGISTRATION === 'closed') throw new ApiError('REGISTRATION_CLOSED')
  // Known and unknown addresses take the same time.
  const passwordHash = await hashPassword(password)
  if (REGISTRATION === 'first-user')
    return registerFirstUser(deps, em, { email, passwordHash, setupSecret }, caller)
  const { text, hash } = mintOpaqueSecret()
  // Known addresses take the same way, with a secret that no person gets.
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
    if (!(await isUnreachable(inner))) throw new ApiError('REGISTRATION_CLOSED')
    if (!isSetupSecret(setupSecret, settings.SETUP_SECRET)) throw new ApiError('SETUP_SECRET_WRONG')
    const { DEFAULT_PLAN: plan } = settings
    const user = await insertUser(inner, { email, passwordHash, role: 'admin', plan })
    if (!user) throw new ApiError('REGISTRATION_CLOSED')
    await audit(inner, 'user.registered', user.id, caller, { role: user.role })
    return user
  })
}

/** Needs the password too: a stranger could have others confirm. Throws LINK_INVALID and WRONG_PASSWORD. */
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
