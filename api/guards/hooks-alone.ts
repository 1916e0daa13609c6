import { namesThisMachine, readHost } from '#domain/host-name.ts'
import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import type { Apart } from '../hooks/address.ts'
import { hasPassedProxy } from '../http/this-machine.ts'

/** A tunnel that passes on more than `/hooks` opens nothing else: other requests must name the host for
 * people, or this machine without a proxy between. */
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
  // With one name for both, only the port tells them apart.
  const isOneName = own?.name === readHost(hooks.host)?.name
  return (host) => {
    const asked = readHost(host, protocol)
    return asked !== null && asked.name === own?.name && (!isOneName || asked.port === own.port)
  }
}
