import type { EntityManager } from '#db/engine/database.ts'
import { countOwnTokens, insertToken, revokeToken } from '#db/identity/token-management.ts'
import { lockUser } from '#db/identity/users.ts'
import { mintAccessToken } from '../access/access-token.ts'
import type { Scope } from '../http/principal.ts'
import { tokenCap } from '#domain/token-plans.ts'
import { ApiError, fault, validationError } from '../http/errors.ts'
import { audit } from './audit.ts'
import { unauthenticated } from '../access/credential.ts'
import type { Origin } from '../http/caller.ts'

export interface TokenRequest {
  label: string
  scopes: Scope[]
  /** Null for the default, a year from now. */
  expiresAt: Date | null
}

/** A token as its owner sees it at its creation, and its text, which is shown this once. */
export interface CreatedToken {
  id: string
  token: string
  prefix: string
  createdAt: Date
  expiresAt: Date
}

/** The specification's default lifetime, from one date to the same a year later. */
export function aYearFrom(start: Date): Date {
  const end = new Date(start)
  end.setUTCFullYear(end.getUTCFullYear() + 1)
  return end
}

/** Days for which a token may be made at most. */
const MAX_LIFE_DAYS = 366

/** Throws VALIDATION_ERROR for a token that would work longer than any may. */
export function checkTokenLife(expiresAt: Date): void {
  if (expiresAt.getTime() <= Date.now() + MAX_LIFE_DAYS * 24 * 60 * 60 * 1_000) return
  const message = `expiresAt must be at most ${MAX_LIFE_DAYS} days from now`
  throw validationError([fault(['expiresAt'], 'too_late', message)])
}

/** Makes an access token. Throws VALIDATION_ERROR for one that would live too long, and CONNECTED_APP_LIMIT_REACHED when the plan allows no more. */
export const createToken = (
  em: EntityManager,
  userId: string,
  request: TokenRequest,
  caller: Origin,
): Promise<CreatedToken> =>
  em.transactional(async (inner) => {
    // Held until the token is stored: of many at once no more get one than the plan allows.
    const user = await lockUser(inner, userId)
    if (!user) throw unauthenticated()
    const cap = tokenCap(user.plan)
    if ((await countOwnTokens(inner, userId)) >= cap) {
      const message = `The plan ${user.plan} allows ${cap} access tokens`
      throw new ApiError('CONNECTED_APP_LIMIT_REACHED', { details: [fault([], 'plan_limit', message)] })
    }
    const { token, hash, prefix } = mintAccessToken()
    const createdAt = new Date()
    const expiresAt = request.expiresAt ?? aYearFrom(createdAt)
    checkTokenLife(expiresAt)
    const { label, scopes } = request
    const id = await insertToken(inner, { userId, kind: 'access', label, hash, prefix, scopes, expiresAt })
    await audit(inner, 'token.created', userId, caller, { tokenId: id, label, scopes })
    return { id, token, prefix, createdAt, expiresAt }
  })

/**
 * Revokes a token that its owner made or was issued; the next request with it is refused. Throws
 * TOKEN_NOT_FOUND. A desktop's token ends with its session instead.
 */
export const revokeOwnToken = (
  em: EntityManager,
  userId: string,
  tokenId: string,
  caller: Origin,
): Promise<void> =>
  em.transactional(async (inner) => {
    const kind = await revokeToken(inner, userId, tokenId, ['access', 'legacy'])
    if (!kind) throw new ApiError('TOKEN_NOT_FOUND')
    await audit(inner, 'token.revoked', userId, caller, { tokenId, kind })
  })
