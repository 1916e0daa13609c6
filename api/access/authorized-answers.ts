import type { ApiMiddleware } from '../http/context.ts'

/** The last guard: no answer leaves that the authorization guard has not let through. It throws (500),
 * removes the headers that the answer had set, and cuts a stream off. */
export const authorizedAnswers: ApiMiddleware = async (ctx, next) => {
  const before = new Set(Object.keys(ctx.response.headers))
  await next()
  if (ctx.state.isAuthorized) return
  for (const name of Object.keys(ctx.response.headers)) if (!before.has(name)) ctx.remove(name)
  if (ctx.respond === false) ctx.res.destroy()
  throw new Error(`${ctx.method} ${ctx.path} was answered without having been authorized`)
}
