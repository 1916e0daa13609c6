import type { Context } from 'koa'
import { rateLimited } from '#contract/errors.ts'
import type { RateLimitState } from './tiers.ts'

export function applyLimit(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  tellLimit(ctx, state)
  if (!state.isAllowed) throw rateLimited(state.resetSeconds)
}

export function tellLimit(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  ctx.set('RateLimit-Limit', String(state.limit))
  ctx.set('RateLimit-Remaining', String(state.remaining))
  ctx.set('RateLimit-Reset', String(state.resetSeconds))
}

export function refuseBeyond(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  if (!state.isAllowed) applyLimit(ctx, state)
}
