import type { ApiMiddleware } from '../http/context.ts'
import { clientAddress, type TrustedProxies } from '../access/client-address.ts'

/** Finds out where a request comes from; all that counts or writes down addresses takes it from here. */
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
