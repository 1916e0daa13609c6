import type { RouteMiddleware } from '../context.ts'
import { ApiError } from '../errors.ts'

/** Refuses signals while an operator has switched them off. */
export const signalsEnabled =
  (enabled: boolean): RouteMiddleware =>
  async (_ctx, next) => {
    if (!enabled) throw new ApiError('SERVICE_DISABLED')
    await next()
  }
