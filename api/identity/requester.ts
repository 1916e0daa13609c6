import { findUser, type UserRecord } from '#db/identity/users.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { unauthenticated } from '../access/credential.ts'
import type { Caller } from './deps.ts'
import { presentedDeviceToken } from './device-cookie.ts'

/** Where the request comes from. */
export const callerOf = (ctx: ApiContext): Caller => ({
  ip: ctx.state.clientIp,
  // Header values may hold bytes that no text column takes.
  userAgent: ctx.get('User-Agent').replaceAll(/[^ -~]/g, '?'),
  deviceToken: presentedDeviceToken(ctx),
  requestId: ctx.state.requestId,
})

/** A person at the web application. */
export interface Person {
  user: UserRecord
  sessionId: string
  caller: Caller
  em: EntityManager
}

/** The person behind a JWT. */
export async function personOf(ctx: ApiContext): Promise<Person> {
  const { userId, sessionId } = principalOf(ctx)
  const { em } = ctx.state
  const user = await findUser(em, userId)
  if (!user || sessionId === null) throw unauthenticated()
  return { user, sessionId, caller: callerOf(ctx), em }
}

/** Like {@link personOf}. Throws MFA_NOT_ENABLED for somebody without a second factor. */
export async function personWithSecondFactor(ctx: ApiContext): Promise<Person> {
  const person = await personOf(ctx)
  if (!person.user.hasSecondFactor) throw new ApiError('MFA_NOT_ENABLED')
  return person
}
