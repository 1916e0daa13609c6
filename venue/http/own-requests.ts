import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Next } from 'koa'
import { isOwnHost } from '#domain/hook/host-name.ts'
import { reject } from '../rejection.ts'
import { digest, type VenueContext } from './context.ts'

/** Whether host and `Origin` are this machine's. `names`: beside `localhost`. */
export function isOwnRequest(headers: IncomingHttpHeaders, names: readonly string[]): boolean {
  const { host = '', origin } = headers
  return (
    isOwnHost(host, names) &&
    (origin === undefined || origin === `http://${host}` || origin === `https://${host}`)
  )
}

export const requireOwnRequest =
  (names: readonly string[]) =>
  (ctx: { path: string; headers: IncomingHttpHeaders }, next: Next): Promise<unknown> => {
    if (ctx.path !== '/venue/health' && !isOwnRequest(ctx.headers, names))
      throw reject.forbidden('this request came by another name or from another site')
    return next()
  }

/** Bearer token; without a set secret no caller is admitted. */
export const requireControl =
  (secret: string | undefined) =>
  (ctx: VenueContext, next: Next): Promise<unknown> => {
    if (secret === undefined) throw reject.forbidden('set VENUE_CONTROL_SECRET to control this venue')
    const [, shown = ''] = /^Bearer (.+)$/i.exec(ctx.get('Authorization')) ?? []
    if (!timingSafeEqual(digest(shown), digest(secret))) throw reject.unauthorized()
    return next()
  }
