import type { ApiMiddleware } from '../http/context.ts'

/**
 * The last guard: an answer that no authorization guard has let through does not leave, whatever its address looks like. It
 * throws, which is logged and answered by 500 INTERNAL_ERROR; headers that the answer had set, cookies among them,
 * go with it. A stream that has begun is cut off.
 */
export const authorizedAnswers: ApiMiddleware = async (ctx, next) => {
  const before = new Set(Object.keys(ctx.response.headers))
  await next()
  if (ctx.state.isAuthorized) return
  for (const name of Object.keys(ctx.response.headers)) if (!before.has(name)) ctx.remove(name)
  if (ctx.respond === false) ctx.res.destroy()
  throw new Error(`${ctx.method} ${ctx.path} was answered without having been authorized`)
}
