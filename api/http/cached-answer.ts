import { createHash } from 'node:crypto'
import type { Context } from 'koa'

/** The name by which caches know a content: it changes with the content. */
export const tagOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22)

/** Kept for a year without asking again: for addresses that name their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable'
/** Asked for each time, and sent again only when it has changed. */
export const ASK_EACH_TIME = 'public, no-cache'

/** Answers what is the same for everybody, or 304 to whoever has it already. */
export function answerCached(
  ctx: Pick<Context, 'set' | 'etag' | 'body' | 'fresh' | 'status'>,
  body: string | Buffer,
  tag: string,
  cacheControl: typeof FOR_EVER | typeof ASK_EACH_TIME,
): void {
  ctx.set('Cache-Control', cacheControl)
  ctx.etag = tag
  ctx.body = body
  if (ctx.fresh) ctx.status = 304
}
