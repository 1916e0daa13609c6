import type { ApiMiddleware } from '../http/context.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { fail, SpanKind } from '#tracing/spans.ts'
import { RequestTrace } from '#tracing/request-trace.ts'
import { traceOf } from '#tracing/trace-id.ts'

const NO_ROUTE = 'none'

function outcomeOf(ctx: object & { status: number }): { route: string; code: string | null } {
  const { _matchedRoute: matched, body } = ctx as { _matchedRoute?: unknown; body?: unknown }
  const code = (body as { code?: unknown } | null | undefined)?.code
  return {
    route: typeof matched === 'string' ? matched : NO_ROUTE,
    code: ctx.status >= 400 && typeof code === 'string' ? code : null,
  }
}

export const requestMetrics =
  (metrics: Pick<Metrics, 'observeRequest'>): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next()
    } finally {
      const { route, code } = outcomeOf(ctx)
      metrics.observeRequest({
        route: route === NO_ROUTE ? route : `${ctx.method} ${route}`,
        status: ctx.status,
        code,
        seconds: (performance.now() - ctx.state.receivedAt) / 1_000,
      })
    }
  }

export const requestTraces: ApiMiddleware = async (ctx, next) => {
  if (ctx.method === 'GET') {
    await next()
    return
  }
  const request = new RequestTrace()
  try {
    await request.during(next)
  } finally {
    const { signalId, requestId, receivedAt } = ctx.state
    const about = signalId === undefined ? null : traceOf(signalId)
    if (about !== null) request.join(about)
    const { status, method } = ctx
    const { route, code } = outcomeOf(ctx)
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'durable_trader.request_id': requestId,
      ...(code !== null && { 'durable_trader.code': code }),
    }
    const options = { kind: SpanKind.SERVER, startTime: receivedAt, attributes }
    request.end(`${method} ${route}`, options, (span) => {
      if (status >= 500) fail(span, String(status))
    })
  }
}
