import type { ApiMiddleware } from '../http/context.ts'
import { clientAddress, type TrustedProxies } from '../access/client-address.ts'

/** Everything that counts or logs addresses uses this one. */
export const origin =
  (proxies: TrustedProxies): ApiMiddleware =>
  async (ctx, next) => {
    ctx.state.clientIp = clientAddress(
      ctx.req.socket.remoteAddress ?? '',
      ctx.get('X-Forwarded-For'),
      proxies,
    )
    await next()
  }
