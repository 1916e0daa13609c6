import { randomUUID } from 'node:crypto'
import type { ApiMiddleware } from '../http/context.ts'

export const requestId: ApiMiddleware = async (ctx, next) => {
  ctx.state.requestId = randomUUID()
  ctx.state.receivedAt = performance.now()
  ctx.state.waited = 0
  ctx.set('X-Request-Id', ctx.state.requestId)
  // Answers are about money and belong to one caller: nothing in between may keep them.
  ctx.set('Cache-Control', 'no-store')
  await next()
}
