import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { isFromElsewhere, ownPages } from '../http/own-page.ts'

const LOOKS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
/** Characters of an origin that the log keeps. */
const MAX_LOGGED = 200

/**
 * Refuses what a page elsewhere has a browser send, before anything is counted or looked up: whoever opens that page must
 * neither be signed in or out by it, nor have their limits used up. Senders that are no browsers name no origin, and pass.
 *
 * @param publicUrl where people reach the service
 * @param listed origins of other sites whose pages may call the API
 */
export function foreignPages(publicUrl: string, listed: readonly string[]): ApiMiddleware {
  const isOwnPage = ownPages(publicUrl)
  const isForeign = (ctx: ApiContext): boolean => {
    const from = ctx.get('Origin')
    if (listed.includes(from)) return false
    return isFromElsewhere(ctx) || (from !== '' && !isOwnPage(ctx))
  }
  return async (ctx, next) => {
    if (hasEffect(ctx as ApiContext) && isForeign(ctx as ApiContext)) {
      ctx.state.refusedOrigin = (ctx.get('Origin') || ctx.get('Sec-Fetch-Site')).slice(0, MAX_LOGGED)
      throw new ApiError('ORIGIN_REFUSED')
    }
    await next()
  }
}

/** A look has none, but with a ticket, which is good once. */
const hasEffect = (ctx: ApiContext): boolean =>
  !LOOKS.includes(ctx.method) || ctx.state.query.secrets.ticket.length > 0
