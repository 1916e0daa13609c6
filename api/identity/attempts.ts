import { ApiError, rateLimited } from '../errors.ts'
import type { AttemptKind } from '../limits/tiers.ts'
import type { Limits } from '../limits/limits.ts'
import { hashOpaqueSecret } from './opaque-secret.ts'

/**
 * Counts an attempt on an account before it is judged, so that a burst cannot try more often than allowed.
 * Throws RATE_LIMIT_EXCEEDED.
 */
export async function countAttempt(limits: Limits, kind: AttemptKind, key: string): Promise<void> {
  const { isAllowed, resetSeconds } = await limits.countAttempt(kind, key)
  if (!isAllowed) throw rateLimited(resetSeconds)
}

/** By what attempts on an address are counted, whether or not anybody has it. */
export const addressKey = (email: string): string => hashOpaqueSecret(email.toLowerCase())

/** A sign-in that failed, whatever the reason was. */
export const signInRefused = (): ApiError =>
  new ApiError('UNAUTHENTICATED', { message: 'The address, password or code is wrong' })
