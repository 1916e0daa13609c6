import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import type { ApiMiddleware } from '../http/context.ts'

/** A token that somebody put into the path by mistake. */
const TOKEN = /(dtk?)_[0-9A-Za-z]+/g

/** One line a request. The query is left out: it may carry a key. */
export const accessLog =
  (logger: Logger): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next()
    } finally {
      const { requestId, receivedAt, principal, signalId, refusedOrigin } = ctx.state
      logger.info(
        {
          requestId,
          method: ctx.method,
          path: ctx.path.replace(TOKEN, '$1_[redacted]'),
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
