import koaCompress from 'koa-compress'
import type { ApiMiddleware } from '../http/context.ts'

/** A shorter answer fits into one packet. */
const MIN_BYTES = 1_024

const compressed = koaCompress({ filter: (type) => type === 'application/json', threshold: MIN_BYTES })

/** Only JSON, because event streams must not wait for a block; only readings, because answers to changes may
 * hold a token, which compression with other content could betray by length. */
export const compression: ApiMiddleware = async (ctx, next) => {
  if (ctx.method === 'GET') await compressed(ctx, next)
  else await next()
}
