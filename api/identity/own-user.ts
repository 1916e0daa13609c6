import { findUser, type UserRecord } from '#db/identity/users.ts'
import { unauthenticated } from '../access/credential.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

export function withSession(caller: Caller): Caller<SignedIn> {
  const { sessionId } = caller.principal
  if (sessionId === null) throw unauthenticated()
  return { ...caller, principal: { ...caller.principal, sessionId } }
}

export async function ownUser({ em, principal }: Caller<SignedIn>): Promise<UserRecord> {
  const user = await findUser(em, principal.userId)
  if (!user) throw unauthenticated()
  return user
}

export async function ownUserWithSecondFactor(caller: Caller<SignedIn>): Promise<UserRecord> {
  const user = await ownUser(caller)
  if (!user.hasSecondFactor) throw new ApiError('MFA_NOT_ENABLED')
  return user
}
