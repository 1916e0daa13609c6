import { findOwnAccount } from '#db/accounts/accounts.ts'
import type { Logger } from 'pino'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { noQuery, readQuery } from '../http/validation/query.ts'
import type { TicketAnswer } from './answers.ts'
import { EventStream, type Subscription } from './event-stream.ts'
import type { LiveFeed } from './live-feed.ts'
import { eventsQuery } from './schema.ts'
import { issueEventTicket } from './ticket.ts'
import { WATCHABLE, watchedLists } from './topics.ts'
import { RouteList } from '../http/route-list.ts'

/** Seconds after which somebody with too many streams may ask again. */
const RETRY_AFTER = 15

export interface EventDeps {
  feed: LiveFeed
  logger: Logger
  /** Streams that one user may hold open in this process. */
  maxStreams: number
}

/** The stream of events. */
export function eventRoutes(deps: EventDeps): RouteList {
  const routes = new RouteList('/api/v1/events')

  routes.get('', async (ctx) => {
    const subscription = await readSubscription(ctx)
    if (deps.feed.countOf(subscription.principal.userId) >= deps.maxStreams) throw tooMany(deps.maxStreams)
    ctx.status = 200
    ctx.set({
      'Content-Type': 'text/event-stream',
      // No proxy is to collect, change or compress it; its end is the end of the connection.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      Connection: 'close',
    })
    if (ctx.method === 'HEAD') ctx.body = ''
    else openStream(ctx, subscription, deps)
  })

  routes.post('/ticket', async (ctx) => {
    readQuery(ctx, noQuery)
    const { userId, sessionId } = principalOf(ctx)
    const issued = issueEventTicket(ctx.state.em, { userId, sessionId: sessionId! })
    const { ticket, expiresAt } = await beforeDatabaseDeadline(ctx, issued)
    ctx.status = 201
    const data: TicketAnswer = { ticket, expiresAt: toIsoInstant(expiresAt) }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return routes
}

async function readSubscription(ctx: ApiContext): Promise<Subscription> {
  const { topics: asked, accountId, lastEventId } = readQuery(ctx, eventsQuery)
  const principal = principalOf(ctx)
  const lists = watchedLists(asked, principal)
  if (accountId !== undefined) {
    const account = findOwnAccount(ctx.state.em, principal.userId, accountId)
    if (!(await beforeDatabaseDeadline(ctx, account))) throw new ApiError('ACCOUNT_NOT_FOUND')
  }
  return {
    principal,
    lists,
    topics: new Set(lists.map((list) => WATCHABLE[list].topic)),
    accountId: accountId ?? null,
    since: placeIn(ctx.get('Last-Event-ID') || lastEventId),
  }
}

/** What is none of our ids is a place before all others: its holder is told to read everything anew. */
const placeIn = (id: string | undefined): string | null =>
  id === undefined || id === '' ? null : /^\d{1,19}$/.test(id) ? id : '0'

const tooMany = (most: number): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `You hold ${most} event streams open, and more are not allowed: close one`,
    headers: { 'Retry-After': String(RETRY_AFTER) },
  })

/** Leaves the answer to the stream, which outlives the request and holds nothing of it. */
function openStream(ctx: ApiContext, subscription: Subscription, { feed, logger }: EventDeps): void {
  ctx.respond = false
  const { requestId, receivedAt } = ctx.state
  const { userId, tokenId } = subscription.principal
  const stream = new EventStream(ctx.res, subscription, () => feed.wake())
  ctx.res.once('close', () => {
    feed.leave(stream)
    const durationMs = Math.round(performance.now() - receivedAt)
    logger.info(
      { requestId, userId, tokenId: tokenId ?? undefined, durationMs, events: stream.events },
      'an event stream has ended',
    )
  })
  feed.join(stream)
}
