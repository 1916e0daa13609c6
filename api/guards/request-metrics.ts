import type { ApiMiddleware } from '../http/context.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** The address could be anything. */
const NO_ROUTE = 'none'

/** By route: addresses hold ids. */
export const requestMetrics =
  (metrics: Pick<Metrics, 'observeRequest'>): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next()
    } finally {
      const { status, body } = ctx as { status: number; body: unknown }
      const { _matchedRoute: matched } = ctx as { _matchedRoute?: unknown }
      const code = (body as { code?: unknown } | null | undefined)?.code
      metrics.observeRequest({
        route: typeof matched === 'string' ? `${ctx.method} ${matched}` : NO_ROUTE,
        status,
        code: status >= 400 && typeof code === 'string' ? code : null,
        seconds: (performance.now() - ctx.state.receivedAt) / 1_000,
      })
    }
  }
