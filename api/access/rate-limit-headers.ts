import type { Context } from 'koa'
import { rateLimited } from '../http/errors.ts'
import type { RateLimitState } from './tiers.ts'

/** Tells how the sender stands. Throws RATE_LIMIT_EXCEEDED where that was too much. */
export function applyLimit(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  tellLimit(ctx, state)
  if (!state.isAllowed) throw rateLimited(state.resetSeconds)
}

/** Tells how the sender stands, whatever that is. */
export function tellLimit(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  ctx.set('RateLimit-Limit', String(state.limit))
  ctx.set('RateLimit-Remaining', String(state.remaining))
  ctx.set('RateLimit-Reset', String(state.resetSeconds))
}

/** Like {@link applyLimit}, and says nothing to whoever is within the limit. */
export function refuseBeyond(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  if (!state.isAllowed) applyLimit(ctx, state)
}
