import type { ApiMiddleware } from '../context.ts'

const NAME = 'apiKey'

/**
 * Takes API keys out of the address before anything else sees it: addresses end up in logs, traces and errors.
 * The admit guard decides whether they count.
 */
export const queryKeys: ApiMiddleware = async (ctx, next) => {
  const parts = ctx.querystring.split('&')
  const isKey = (part: string): boolean => new URLSearchParams(part).has(NAME)
  ctx.state.queryKeys = parts.filter(isKey).map((part) => new URLSearchParams(part).get(NAME)!)
  if (ctx.state.queryKeys.length > 0) {
    ctx.querystring = parts.filter((part) => !isKey(part)).join('&')
    ctx.originalUrl = ctx.url
    ctx.request.originalUrl = ctx.url
  }
  await next()
}
