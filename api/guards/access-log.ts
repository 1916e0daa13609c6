import type { ApiMiddleware, ApiContext } from '../http/context.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { fail, SpanKind } from '#tracing/spans.ts'
import { RequestTrace } from '#tracing/request-trace.ts'
import { traceOf } from '#tracing/trace-id.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { Logger } from 'pino'
import { withoutTokens } from '#contract/values/secrets.ts'
import { addressBucket } from '../access/client-address.ts'
import { LineBudget } from './request-head.ts'

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

const MOST_OF_PATH = 200

const TURNED_AWAY = [429, 503]

/** Omits the query, which may carry a key. Strangers and denied callers share a line budget. */
export function accessLog(logger: Logger): ApiMiddleware {
  const budget = new LineBudget((byStatus) =>
    logger.info({ byStatus }, 'requests without a line of their own'),
  )
  return async (ctx, next) => {
    try {
      await next()
    } finally {
      if (hasLineOfItsOwn(ctx as ApiContext) || budget.allows(senderOf(ctx as ApiContext), ctx.status)) {
        const { requestId, receivedAt, principal, signalId, refusedOrigin } = ctx.state
        logger.info(
          {
            requestId,
            method: ctx.method,
            path: loggedPath(ctx.path),
            status: ctx.status,
            durationMs: Math.round((performance.now() - receivedAt) * 10) / 10,
            ...(principal && { userId: principal.userId, tokenId: principal.tokenId ?? undefined }),
            ...(refusedOrigin !== undefined && { refusedOrigin }),
            ...(signalId && { signalId, workflowId: workflowIdFor(signalId) }),
          },
          'request',
        )
      }
    }
  }
}

const hasLineOfItsOwn = ({ state, status }: ApiContext): boolean =>
  state.principal !== undefined && !TURNED_AWAY.includes(status)

const senderOf = ({ state: { principal, clientIp } }: ApiContext): string =>
  principal ? (principal.tokenId ?? principal.userId) : addressBucket(clientIp)

/** Removes tokens, also escaped ones. */
function loggedPath(path: string): string {
  const isCut = path.length > MOST_OF_PATH
  const shown = path.slice(0, MOST_OF_PATH)
  const read = shown.replaceAll(/%[2-7][\da-f]/gi, (escape) => decodeURIComponent(escape))
  const safe = withoutTokens(read)
  return `${safe === read ? shown : safe}${isCut ? '…' : ''}`
}
