import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import { isFromElsewhere, ownPages } from '../http/own-page.ts'

const READINGS: readonly string[] = ['GET', 'HEAD']
const LOOKS: readonly string[] = [...READINGS, 'OPTIONS']
const MAX_LOGGED = 200

/** A page elsewhere must not sign its visitor in or out, nor use up their limits; links may be followed. */
export function foreignPages(publicUrl: string, listed: readonly string[]): ApiMiddleware {
  const isOwnPage = ownPages(publicUrl)
  const isForeign = (ctx: ApiContext): boolean => {
    const from = ctx.get('Origin')
    if (listed.includes(from)) return false
    if (isFromElsewhere(ctx)) return hasEffect(ctx) || !isOpened(ctx)
    return hasEffect(ctx) && from !== '' && !isOwnPage(ctx)
  }
  return async (ctx, next) => {
    if (isForeign(ctx as ApiContext)) {
      ctx.state.refusedOrigin = (ctx.get('Origin') || ctx.get('Sec-Fetch-Site')).slice(0, MAX_LOGGED)
      throw new ApiError('ORIGIN_REFUSED')
    }
    await next()
  }
}

const hasEffect = (ctx: ApiContext): boolean =>
  !LOOKS.includes(ctx.method) || ctx.state.query.secrets.ticket.length > 0

/** Opened in a window of its own, not loaded as a part of a page, which could ask for thousands. */
const isOpened = (ctx: ApiContext): boolean =>
  READINGS.includes(ctx.method) &&
  ctx.get('Sec-Fetch-Mode') === 'navigate' &&
  ctx.get('Sec-Fetch-Dest') === 'document'
