import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import type { Logger } from 'pino'
import { SENDER_GONE, SenderGone } from '../http/caller.ts'
import type { ApiMiddleware } from '../http/context.ts'
import { errorBody, envelopeFamilyOf } from '#contract/envelopes.ts'
import { ApiError, databaseUnavailable } from '#contract/errors.ts'
import { QueueFull } from '#domain/async/semaphore.ts'
import { LineBudget } from './request-head.ts'
import helmet from 'helmet'
import cors from '@koa/cors'
import koaCompress from 'koa-compress'

export function errorEnvelope(logger: Logger): ApiMiddleware {
  const budget = new LineBudget((byCode) => logger.warn({ byCode }, 'errors without a line of their own'))
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (error instanceof SenderGone) {
        ctx.respond = false
        ctx.res.statusCode = SENDER_GONE
        return
      }
      const answer = asApiError(error)
      if (answer.status >= 500 && budget.allows(answer.code, answer.code)) {
        const { requestId, signalId } = ctx.state
        const level = answer.code === 'INTERNAL_ERROR' ? 'error' : 'warn'
        logger[level]({ err: answer.cause ?? answer, requestId, signalId, code: answer.code }, answer.message)
      }
      ctx.status = answer.status
      ctx.set(answer.headers)
      ctx.body = errorBody(envelopeFamilyOf(ctx.method, ctx.path), answer, ctx.state.requestId)
    }
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof QueueFull)
    return new ApiError('TOO_BUSY', { headers: { 'Retry-After': '2' }, cause: error })
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error)
  return new ApiError('INTERNAL_ERROR', { cause: error })
}

/** No answer is a page to run, frame or embed. HSTS means nothing on HTTP. */
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
    // Synchronous; an error would be in the directives.
    secure(ctx.req, ctx.res, (error?: unknown) => {
      if (error instanceof Error) throw error
    })
    await next()
  }
}

const READABLE = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']
const PREFLIGHT_REMEMBERED_SECONDS = 600

/** Bearer tokens from listed origins; never cookies. */
export function crossOrigin(origins: readonly string[]): ApiMiddleware {
  return cors({
    // Empty sets no header, which browsers take as denial.
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

/** Event streams must not wait for a block; only GET, since length could reveal a token. */
export const compression: ApiMiddleware = async (ctx, next) => {
  if (ctx.method === 'GET') await compressed(ctx, next)
  else await next()
}
