import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import type { Logger } from 'pino'
import type { ApiMiddleware } from '../http/context.ts'
import { errorBody, envelopeFamilyOf } from '#contract/envelopes.ts'
import { ApiError, databaseUnavailable } from '#contract/errors.ts'
import { SENDER_GONE, SenderGone } from '../http/sender.ts'
import { NoSlotFree } from '#domain/slots.ts'
import { LineBudget } from './line-budget.ts'

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
  if (error instanceof NoSlotFree)
    return new ApiError('TOO_BUSY', { headers: { 'Retry-After': '2' }, cause: error })
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error)
  return new ApiError('INTERNAL_ERROR', { cause: error })
}
