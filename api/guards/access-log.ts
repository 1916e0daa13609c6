import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { withoutTokens } from '../http/access-token.ts'
import { addressBucket } from '../access/client-address.ts'
import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { LineBudget } from './line-budget.ts'

/** Characters of a path; those of routes with ids have half of them. */
const MOST_OF_PATH = 200

/** Of requests that were too many: who is turned away asks again, and again. */
const TURNED_AWAY = [429, 503]

/**
 * One line a request. The query is left out: it may carry a key. Requests that reached a route with a credential have a
 * line each; of all others, and of those that were too many, a sender has so many a minute, and one line counts the rest.
 */
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

/** Only what passed the guard of a route has a principal. */
const hasLineOfItsOwn = ({ state, status }: ApiContext): boolean =>
  state.principal !== undefined && !TURNED_AWAY.includes(status)

const senderOf = ({ state: { principal, clientIp } }: ApiContext): string =>
  principal ? (principal.tokenId ?? principal.userId) : addressBucket(clientIp)

/** Without tokens that somebody put into the path by mistake, also where it is written with escapes. */
function loggedPath(path: string): string {
  const isCut = path.length > MOST_OF_PATH
  const shown = path.slice(0, MOST_OF_PATH)
  const read = shown.replaceAll(/%[2-7][\da-f]/gi, (escape) => decodeURIComponent(escape))
  const safe = withoutTokens(read)
  return `${safe === read ? shown : safe}${isCut ? '…' : ''}`
}
