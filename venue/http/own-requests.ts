import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Next } from 'koa'
import { reject } from '../rejection.ts'
import { digest, type VenueContext } from './context.ts'

/**
 * Whether the sender of a request meant this venue. A web page in the operator's browser can lead a name of
 * its own to this machine (DNS rebinding), which then stands in `Host`, or send requests across sites, which name the
 * page in `Origin`. An address of digits cannot be led elsewhere.
 *
 * @param names under which the venue is reached beside `localhost`
 */
export function isOwnRequest(headers: IncomingHttpHeaders, names: readonly string[]): boolean {
  const { host = '', origin } = headers
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  const isKnown =
    hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || names.includes(hostname)
  return isKnown && (origin === undefined || origin === `http://${host}` || origin === `https://${host}`)
}

/** Refuses every other request, except the question whether the venue works, which is no secret. */
export const requireOwnRequest =
  (names: readonly string[]) =>
  (ctx: { path: string; headers: IncomingHttpHeaders }, next: Next): Promise<unknown> => {
    if (ctx.path !== '/venue/health' && !isOwnRequest(ctx.headers, names))
      throw reject.forbidden('this request came by another name or from another site')
    return next()
  }

/** Admits requests with the secret of the control API as a bearer token; none where no secret is set. */
export const requireControl =
  (secret: string | undefined) =>
  (ctx: VenueContext, next: Next): Promise<unknown> => {
    if (secret === undefined) throw reject.forbidden('set VENUE_CONTROL_SECRET to control this venue')
    const [, shown = ''] = /^Bearer (.+)$/i.exec(ctx.get('Authorization')) ?? []
    if (!timingSafeEqual(digest(shown), digest(secret))) throw reject.unauthorized()
    return next()
  }
