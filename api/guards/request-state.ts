import { randomUUID } from 'node:crypto'
import type { ApiMiddleware } from '../http/context.ts'
import { clientAddress } from '../access/client-address.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'
import type { Database } from '#db/engine/database.ts'
import { asRequest } from '../http/given-up.ts'

export const requestId: ApiMiddleware = async (ctx, next) => {
  ctx.state.requestId = randomUUID()
  ctx.state.receivedAt = performance.now()
  ctx.state.waited = 0
  ctx.set('X-Request-Id', ctx.state.requestId)
  // Answers are about money and belong to one caller: nothing in between may keep them.
  ctx.set('Cache-Control', 'no-store')
  await next()
}

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

export const entityManager =
  (database: Database): ApiMiddleware =>
  async (ctx, next) => {
    ctx.state.em = database.em.fork()
    await asRequest(next)
  }
