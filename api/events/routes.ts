import { type eventsQuery, eventEndpoints } from '#contract/events.ts'
import type { Caller } from '../http/caller.ts'
import type { ApiContext } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import { findOwnAccount } from '#db/account/accounts.ts'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { inPerson, scoped } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route, WRITTEN } from '../route/route.ts'
import { EventStream, type Subscription } from './event-stream.ts'
import type { LiveFeed } from './live-feed.ts'
import { WATCHABLE, watchedLists } from './topics.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { insertEventTicket } from '#db/identity/event-tickets.ts'
import { mintOpaqueSecret } from '../access/access-jwt.ts'

const TICKET_SECONDS = 30

async function issueEventTicket(
  em: EntityManager,
  holder: { userId: string; sessionId: string },
): Promise<{ ticket: string; expiresAt: Date }> {
  const { text, hash } = mintOpaqueSecret()
  const { expiresAt } = await insertEventTicket(em, { hash, ...holder, seconds: TICKET_SECONDS })
  return { ticket: text, expiresAt }
}

export const eventRoutes = [
  route(eventEndpoints['GET /api/v1/events'], {
    access: scoped('trading:read', { ticketInQuery: true }),
    // Bounded inside: an answered request must open no stream.
    deadline: 'within',
    run: async ({ caller, query, http }, deps: EventDeps) => {
      const lastEventId = http.get('Last-Event-ID') || query.lastEventId
      const subscription = await readSubscription(caller, { ...query, lastEventId })
      if (deps.feed.countOf(caller.principal.userId) >= deps.maxStreams) throw tooMany(deps.maxStreams)
      http.status = 200
      http.set({
        'Content-Type': 'text/event-stream',
        // No proxy may collect, change or compress it.
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
        Connection: 'close',
      })
      if (http.method === 'HEAD') http.body = ''
      else openStream(http, subscription, deps)
      return WRITTEN
    },
  }),
  route(eventEndpoints['POST /api/v1/events/ticket'], {
    access: inPerson(),
    run: async ({ em, me: { userId, sessionId } }) => {
      const { ticket, expiresAt } = await issueEventTicket(em, { userId, sessionId })
      return { ticket, expiresAt: toIsoInstant(expiresAt) }
    },
  }),
]

const STREAM_RETRY_SECONDS = 15

interface EventDeps {
  feed: LiveFeed
  logger: Logger
  maxStreams: number
}

async function readSubscription(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  { topics: asked, symbols = [], accountId, lastEventId }: z.output<typeof eventsQuery>,
): Promise<Subscription> {
  const lists = watchedLists(asked, principal)
  if (accountId !== undefined && !(await inTime(findOwnAccount(em, principal.userId, accountId))))
    throw new ApiError('ACCOUNT_NOT_FOUND')
  return {
    principal,
    lists,
    topics: new Set(lists.flatMap((list) => WATCHABLE[list].topic ?? [])),
    accountId: accountId ?? null,
    symbols,
    since: placeIn(lastEventId),
  }
}

/** An unknown id precedes all others: the client reads everything again. */
const placeIn = (id: string | undefined): string | null =>
  id === undefined || id === '' ? null : /^\d{1,19}$/.test(id) ? id : '0'

const tooMany = (most: number): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `You hold ${most} event streams open, and more are not allowed: close one`,
    headers: { 'Retry-After': String(STREAM_RETRY_SECONDS) },
  })

/** The stream outlives the request. */
function openStream(http: ApiContext, subscription: Subscription, { feed, logger }: EventDeps): void {
  http.respond = false
  const { requestId, receivedAt } = http.state
  const { userId, tokenId } = subscription.principal
  const stream = new EventStream(http.res, subscription, () => feed.wake())
  http.res.once('close', () => {
    feed.leave(stream)
    const durationMs = Math.round(performance.now() - receivedAt)
    logger.info(
      { requestId, userId, tokenId: tokenId ?? undefined, durationMs, events: stream.events },
      'an event stream has ended',
    )
  })
  feed.join(stream)
}
