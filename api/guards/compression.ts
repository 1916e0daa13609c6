import koaCompress from 'koa-compress'
import type { ApiMiddleware } from '../http/context.ts'

/** Bytes below which an answer fits into one packet anyway. */
const MIN_BYTES = 1_024

const compressed = koaCompress({ filter: (type) => type === 'application/json', threshold: MIN_BYTES })

/**
 * Compresses what is read: a phone gets a list in a tenth of the bytes. Only JSON, because event streams must not wait
 * for a block to fill; and no answer to a change, because those are short, and some hold a token, which nobody must be able
 * to guess by the length of what is beside it.
 */
export const compression: ApiMiddleware = async (ctx, next) => {
  if (ctx.method === 'GET') await compressed(ctx, next)
  else await next()
}
