import { fail, SpanKind } from '#tracing/spans.ts'
import { RequestTrace } from '#tracing/request-trace.ts'
import { traceOf } from '#tracing/trace-id.ts'
import type { ApiMiddleware } from '../http/context.ts'

/** Requests that act upon signals or orders are spans of their traces; readings are none. */
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
    // Also one that was refused before its workflow was asked.
    const about = signalId === undefined ? null : traceOf(signalId)
    if (about !== null) request.join(about)
    const { status, method } = ctx
    const { _matchedRoute: route = 'none', body } = ctx as { _matchedRoute?: unknown; body: unknown }
    const code = (body as { code?: unknown } | null | undefined)?.code
    const attributes = {
      'http.request.method': method,
      'http.route': String(route),
      'http.response.status_code': status,
      'durable_trader.request_id': requestId,
      ...(status >= 400 && typeof code === 'string' && { 'durable_trader.code': code }),
    }
    const options = { kind: SpanKind.SERVER, startTime: receivedAt, attributes }
    request.end(`${method} ${String(route)}`, options, (span) => {
      if (status >= 500) fail(span, String(status))
    })
  }
}
