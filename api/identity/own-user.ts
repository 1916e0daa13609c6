import { findUser, type UserRecord } from '#db/identity/users.ts'
import { unauthenticated } from '../access/credential.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

/** The caller as a person who is signed in. Throws UNAUTHENTICATED for a program. */
export function withSession(caller: Caller): Caller<SignedIn> {
  const { sessionId } = caller.principal
  if (sessionId === null) throw unauthenticated()
  return { ...caller, principal: { ...caller.principal, sessionId } }
}

/** The record of the person who asks. Throws UNAUTHENTICATED where it is gone. */
export async function ownUser({ em, principal }: Caller<SignedIn>): Promise<UserRecord> {
  const user = await findUser(em, principal.userId)
  if (!user) throw unauthenticated()
  return user
}

/** Like {@link ownUser}. Throws MFA_NOT_ENABLED for a person without a second factor. */
export async function ownUserWithSecondFactor(caller: Caller<SignedIn>): Promise<UserRecord> {
  const user = await ownUser(caller)
  if (!user.hasSecondFactor) throw new ApiError('MFA_NOT_ENABLED')
  return user
}
