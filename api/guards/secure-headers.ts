import helmet from 'helmet'
import type { ApiMiddleware } from '../http/context.ts'

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
