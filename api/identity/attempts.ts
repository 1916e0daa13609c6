import { ApiError } from '#contract/errors.ts'
import type { AttemptKind, RateLimitState } from '../access/policy.ts'
import type { Limits } from '../access/limits.ts'
import { hashOpaqueSecret } from '../access/access-jwt.ts'

/** Strangers share one count; a session or known device has its own. */
export interface AttemptCount {
  account: string
  apart: string | null
}

/** Counted before the check, so that bursts get no extra attempts. Throws RATE_LIMIT_EXCEEDED. */
export async function countAttempt(
  limits: Limits,
  kind: AttemptKind,
  { account, apart }: AttemptCount,
): Promise<void> {
  const state = await limits.countAttempt(kind, apart ?? account)
  if (!state.isAllowed) throw tooManyAttempts(state, 'wait, use a device it knows, or reset the password')
}

export async function forgiveAttempts(
  limits: Limits,
  kind: AttemptKind,
  { account, apart }: AttemptCount,
): Promise<void> {
  if (apart !== null) await limits.forgive(kind, apart)
  await limits.forgive(kind, account)
}

export const addressKey = (email: string): string => hashOpaqueSecret(email.toLowerCase())

export const sessionKey = (sessionId: string): string => `session:${sessionId}`

export const signInDenied = (): ApiError =>
  new ApiError('UNAUTHENTICATED', { message: 'The address, password or code is wrong' })

/**
 * The account's limit, not the route's.
 * @param wayOut advice to the owner
 */
export const tooManyAttempts = (
  { limit, remaining, resetSeconds }: RateLimitState,
  wayOut: string,
): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many wrong attempts on this account: ${wayOut}`,
    headers: {
      'Retry-After': String(resetSeconds),
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    },
  })
