import cors from '@koa/cors'
import type { ApiMiddleware } from '../http/context.ts'

/** Headers of ours that pages of the allowed origins may read. */
const READABLE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']
/** Seconds for which a browser remembers what it was allowed. */
const PREFLIGHT_REMEMBERED_SECONDS = 600

/**
 * Lets pages of the listed origins call the API with a bearer token; no others, and never with cookies: the
 * refresh cookie works from the service's own pages alone.
 *
 * @param origins such as `https://desk.example.com`
 */
export function crossOrigin(origins: readonly string[]): ApiMiddleware {
  return cors({
    // An empty answer means that no header is set, which browsers take as a no.
    origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Last-Event-ID', 'X-API-Key'],
    exposeHeaders: READABLE,
    maxAge: PREFLIGHT_REMEMBERED_SECONDS,
    keepHeadersOnError: false,
  }) as ApiMiddleware
}
