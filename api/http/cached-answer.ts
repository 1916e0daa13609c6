import { namesThisMachine } from '#domain/hook/host-name.ts'
import type { ApiContext } from './context.ts'
import { isOnThisMachine } from './server.ts'
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Context } from 'koa'

export type IsOwnPage = (ctx: ApiContext) => boolean

/** `Sec-Fetch-Site` of our pages and typed addresses; other programs send none. */
const SITES_OF_OURS: readonly string[] = ['', 'same-origin', 'none']

/** Whether the browser names another site, port or name. */
export const isFromElsewhere = (ctx: ApiContext): boolean =>
  !SITES_OF_OURS.includes(ctx.get('Sec-Fetch-Site'))

/** A proxy may change the host: the public address counts, or this machine's at the same port. */
export function ownPages(publicUrl: string): IsOwnPage {
  const own = new URL(publicUrl).origin
  const isHere = isOnThisMachine(publicUrl)
  return (ctx) => {
    if (isFromElsewhere(ctx)) return false
    const from = ctx.get('Origin')
    return from === own || (isHere && namesThisMachine(ctx.host) && from === `${ctx.protocol}://${ctx.host}`)
  }
}

export const tagOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22)

/** For addresses that name their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable'
export const ASK_EACH_TIME = 'public, no-cache'

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

export interface Encoded {
  bytes: Buffer
  tag: string
}

export interface Forms {
  plain: Encoded
  br: Encoded | null
  gzip: Encoded | null
}

export const encoded = (bytes: Buffer): Encoded => ({ bytes, tag: tagOf(bytes) })

export function formsOf(content: string): Forms {
  const plain = Buffer.from(content)
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }
  return {
    plain: encoded(plain),
    br: encoded(brotliCompressSync(plain, quality)),
    gzip: encoded(gzipSync(plain)),
  }
}

export function answerInForm(
  ctx: Pick<Context, 'set' | 'vary' | 'acceptsEncodings' | 'etag' | 'body' | 'fresh' | 'status'>,
  { plain, br, gzip }: Forms,
  cacheControl: typeof FOR_EVER | typeof ASK_EACH_TIME,
): void {
  ctx.vary('Accept-Encoding')
  const takes = (encoding: string): boolean => ctx.acceptsEncodings(encoding) === encoding
  const encoding = br && takes('br') ? 'br' : gzip && takes('gzip') ? 'gzip' : null
  const form = (encoding === 'br' ? br : encoding === 'gzip' ? gzip : null) ?? plain
  if (encoding !== null) ctx.set('Content-Encoding', encoding)
  answerCached(ctx, form.bytes, form.tag, cacheControl)
}
