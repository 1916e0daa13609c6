import { namesThisMachine, readHost } from '#domain/host-name.ts'
import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { Apart } from '../hooks/address.ts'
import { hasPassedProxy } from '../http/this-machine.ts'

/**
 * Shows nothing but hooks to the Internet where senders reach the service by another address than people: a tunnel or proxy
 * that passes on more than `/hooks` opens nothing more. Everything else is for requests to the host of the address of people, and for
 * those to this machine that no proxy has passed on. Every other host, however it is written, is from outside.
 */
export function hooksAlone({ PUBLIC_URL, HOOKS_URL }: Apart): ApiMiddleware {
  const isForPeople = peoplesHost(new URL(PUBLIC_URL), new URL(HOOKS_URL))
  const isFromOutside = (ctx: ApiContext): boolean =>
    namesThisMachine(ctx.host) ? hasPassedProxy(ctx) : !isForPeople(ctx.host)
  return async (ctx, next) => {
    const isForHook = ctx.method === 'POST' && ctx.path.startsWith('/hooks/')
    if (!isForHook && isFromOutside(ctx as ApiContext)) throw new ApiError('NOT_FOUND')
    await next()
  }
}

function peoplesHost(people: URL, hooks: URL): (host: string) => boolean {
  const protocol = people.protocol as 'http:' | 'https:'
  const own = readHost(people.host, protocol)
  // At one name the port alone tells the two addresses apart.
  const isOneName = own?.name === readHost(hooks.host)?.name
  return (host) => {
    const asked = readHost(host, protocol)
    return asked !== null && asked.name === own?.name && (!isOneName || asked.port === own.port)
  }
}
