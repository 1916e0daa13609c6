import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { Apart } from '../hooks/address.ts'
import { hasPassedProxy, isOnThisMachine } from '../http/this-machine.ts'

/**
 * Shows nothing but hooks to the Internet where senders reach the service by another address than people: a tunnel or proxy
 * that passes on more than `/hooks` opens nothing more. Where people reach the service on this machine alone, whatever came
 * through a proxy is from outside.
 */
export function hooksAlone({ PUBLIC_URL, HOOKS_URL }: Apart): ApiMiddleware {
  const { host: outside } = new URL(HOOKS_URL)
  const isHere = isOnThisMachine(PUBLIC_URL)
  const isFromOutside = (ctx: ApiContext): boolean => ctx.host === outside || (isHere && hasPassedProxy(ctx))
  return async (ctx, next) => {
    const isForHook = ctx.method === 'POST' && ctx.path.startsWith('/hooks/')
    if (!isForHook && isFromOutside(ctx as ApiContext)) throw new ApiError('NOT_FOUND')
    await next()
  }
}
