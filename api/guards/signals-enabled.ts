import type { RouteMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** Refuses signals while an operator has switched them off. */
export const signalsEnabled =
  (enabled: boolean): RouteMiddleware =>
  async (_ctx, next) => {
    if (!enabled) throw new ApiError('SERVICE_DISABLED')
    await next()
  }
