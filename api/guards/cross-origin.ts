import cors from '@koa/cors'
import type { ApiMiddleware } from '../http/context.ts'

/** Readable by pages of the allowed origins. */
const READABLE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']
const PREFLIGHT_REMEMBERED_SECONDS = 600

/** Bearer tokens from listed origins, such as `https://desk.example.com`; never cookies: the refresh cookie
 * works only from our own pages. */
export function crossOrigin(origins: readonly string[]): ApiMiddleware {
  return cors({
    // Empty: no header is set, which browsers take as a no.
    origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Last-Event-ID', 'X-API-Key'],
    exposeHeaders: READABLE,
    maxAge: PREFLIGHT_REMEMBERED_SECONDS,
    keepHeadersOnError: false,
  }) as ApiMiddleware
}
