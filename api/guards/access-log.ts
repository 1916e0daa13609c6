import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { withoutTokens } from '#contract/values/tokens.ts'
import { addressBucket } from '../access/client-address.ts'
import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { LineBudget } from './line-budget.ts'

const MOST_OF_PATH = 200

const TURNED_AWAY = [429, 503]

/** Without the query, which may carry a key. Strangers and those turned away share a budget of lines. */
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

/** Without tokens in the path, also escaped ones. */
function loggedPath(path: string): string {
  const isCut = path.length > MOST_OF_PATH
  const shown = path.slice(0, MOST_OF_PATH)
  const read = shown.replaceAll(/%[2-7][\da-f]/gi, (escape) => decodeURIComponent(escape))
  const safe = withoutTokens(read)
  return `${safe === read ? shown : safe}${isCut ? '…' : ''}`
}
