import { findTokenHolder } from '#db/access-tokens.ts'
import { hashAccessToken, isSameHash, isWellFormedAccessToken } from '../auth/access-token.ts'
import type { Principal } from '../auth/principal.ts'
import { mayUseAccessTokens } from '../auth/token-plans.ts'
import type { TokenUse } from '../auth/token-use.ts'
import type { ApiContext, RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError } from '../errors.ts'

const BEARER = /^Bearer +(\S+)$/i

/**
 * Finds out who asks. Nothing is cached: a token that is revoked, has expired, or whose owner is disabled or
 * has left the paid plan is refused with the next request. Why a credential is refused is not told.
 */
export const authenticate =
  (tokenUse: TokenUse): RouteMiddleware =>
  async (ctx, next) => {
    ctx.state.principal = await principalOfToken(ctx, presentedToken(ctx), tokenUse)
    await next()
  }

function presentedToken(ctx: ApiContext): string {
  const authorization = ctx.get('Authorization')
  const hasApiKey = ctx.get('X-API-Key') !== '' || 'apiKey' in ctx.query
  // Of two credentials it would be chance which one counts.
  if (hasApiKey && authorization !== '') throw unauthenticated()
  // No API keys are issued yet, so that none can be right.
  if (hasApiKey) throw unauthenticated('INVALID_API_KEY')
  const token = BEARER.exec(authorization)?.[1]
  if (token === undefined || !isWellFormedAccessToken(token)) throw unauthenticated()
  return token
}

async function principalOfToken(ctx: ApiContext, token: string, tokenUse: TokenUse): Promise<Principal> {
  const hash = hashAccessToken(token)
  const holder = await beforeDatabaseDeadline(ctx, findTokenHolder(ctx.state.em, hash))
  if (!holder || !isSameHash(holder.hash, hash) || !mayUseAccessTokens(holder.plan)) throw unauthenticated()
  tokenUse.note(holder)
  const { userId, tokenId, tradingMode, scopes } = holder
  return { userId, tokenId, tradingMode, scopes: new Set(scopes) }
}

const unauthenticated = (code: 'UNAUTHENTICATED' | 'INVALID_API_KEY' = 'UNAUTHENTICATED'): ApiError =>
  new ApiError(code, { headers: { 'WWW-Authenticate': 'Bearer realm="durable-trader"' } })
