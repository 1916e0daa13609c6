import type { Scope } from '../auth/principal.ts'
import { principalOf, type RouteMiddleware } from '../context.ts'
import { ApiError, fault } from '../errors.ts'

/** Lets only credentials pass that hold the scope. */
export const requireScope =
  (scope: Scope): RouteMiddleware =>
  async (ctx, next) => {
    if (!principalOf(ctx).scopes.has(scope)) {
      throw new ApiError('INSUFFICIENT_SCOPES', {
        details: [fault([], 'missing_scope', `The scope ${scope} is needed`)],
        headers: {
          'WWW-Authenticate': `Bearer realm="durable-trader", error="insufficient_scope", scope="${scope}"`,
        },
      })
    }
    await next()
  }
