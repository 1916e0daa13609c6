import helmet from 'helmet'
import type { ApiMiddleware } from '../http/context.ts'
import cors from '@koa/cors'
import koaCompress from 'koa-compress'

/** Nothing here is a page to run, frame or embed. HSTS only for HTTPS: on plain HTTP it means nothing. */
export function secureHeaders(publicUrl: string): ApiMiddleware {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const secure = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    strictTransportSecurity: isSecure && { maxAge: 2 * 365 * 24 * 60 * 60, includeSubDomains: true },
  })
  return async (ctx, next) => {
    // Synchronous; an error would be in the directives above.
    secure(ctx.req, ctx.res, (error?: unknown) => {
      if (error instanceof Error) throw error
    })
    await next()
  }
}

const READABLE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']
const PREFLIGHT_REMEMBERED_SECONDS = 600

/** Bearer tokens from listed origins; never cookies, which work only from our own pages. */
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

const MIN_BYTES = 1_024

const compressed = koaCompress({ filter: (type) => type === 'application/json', threshold: MIN_BYTES })

/** Only JSON: event streams must not wait for a block. Only readings: length could betray a token. */
export const compression: ApiMiddleware = async (ctx, next) => {
  if (ctx.method === 'GET') await compressed(ctx, next)
  else await next()
}
