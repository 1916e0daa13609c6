import type { ApiMiddleware, ApiContext } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'

/** 405; otherwise `GET /accounts/sync` would match the route of the account with the id `sync`. */
export function exactAddresses(routes: readonly string[]): ApiMiddleware {
  const methods = new Map<string, string[]>()
  for (const route of routes) {
    const [method, path] = route.split(' ') as [string, string]
    if (path.includes(':')) continue
    const taken = new Set([...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
    methods.set(path, [...taken].toSorted())
  }
  return async (ctx, next) => {
    const taken = methods.get(ctx.path)
    if (taken && !taken.includes(ctx.method))
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: taken.join(', ') } })
    await next()
  }
}

export const unmatched: ApiMiddleware = (ctx) => {
  const layers = (ctx as ApiContext).matched ?? []
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted()
  if (methods.length === 0) throw new ApiError('NOT_FOUND')
  throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
}
