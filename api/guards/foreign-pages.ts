import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { isFromElsewhere, ownPages } from '../http/own-page.ts'

const READINGS: readonly string[] = ['GET', 'HEAD']
const LOOKS: readonly string[] = [...READINGS, 'OPTIONS']
/** Characters of an origin that the log keeps. */
const MAX_LOGGED = 200

/**
 * Refuses what a page elsewhere has a browser send, before anything is counted or looked up: whoever opens that page must
 * neither be signed in or out by it, nor have the limits of their address used up. A link to us may be followed from
 * anywhere. Senders that are no browsers name no origin, and pass.
 *
 * @param publicUrl where people reach the service
 * @param listed origins of other sites whose pages may call the API
 */
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

/** A look has none, but with a ticket, which is good once. */
const hasEffect = (ctx: ApiContext): boolean =>
  !LOOKS.includes(ctx.method) || ctx.state.query.secrets.ticket.length > 0

/** A person is shown the answer in a window of its own, and not a page as a part of itself, of which it may ask for thousands. */
const isOpened = (ctx: ApiContext): boolean =>
  READINGS.includes(ctx.method) &&
  ctx.get('Sec-Fetch-Mode') === 'navigate' &&
  ctx.get('Sec-Fetch-Dest') === 'document'
