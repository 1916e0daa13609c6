import type { ApiMiddleware, QuerySecret } from '../http/context.ts'

/**
 * Takes API keys and tickets out of the address before anything else sees it: addresses end up in logs, traces and
 * errors. The authorization guard decides whether they count.
 */
export const querySecrets: ApiMiddleware = async (ctx, next) => {
  const parts = ctx.querystring.split('&').map((text) => ({ text, named: new URLSearchParams(text) }))
  const valuesOf = (name: QuerySecret): string[] => parts.flatMap(({ named }) => named.getAll(name))
  ctx.state.querySecrets = { apiKey: valuesOf('apiKey'), ticket: valuesOf('ticket') }
  const others = parts.filter(({ named }) => !named.has('apiKey') && !named.has('ticket'))
  if (others.length < parts.length) {
    ctx.querystring = others.map(({ text }) => text).join('&')
    ctx.originalUrl = ctx.url
    ctx.request.originalUrl = ctx.url
  }
  await next()
}
