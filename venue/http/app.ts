import { z } from 'zod'
import { addDays, isLocalDate } from '#domain/time/wall-time.ts'
import { reject, Rejection, rejectionBody } from '../rejection.ts'
import { readAs, instant, readJsonBody } from './body.ts'
import { requireKeys, type VenueParts, type VenueState, type VenueContext } from './context.ts'
import { symbolList } from './history-page.ts'
import { underFaults } from './scripted-answers.ts'
import type { Activity, ActivityPlace } from '../ledger/executions.ts'
import { parseActivityId, presentActivity } from '../wire/activity.ts'
import type { AccountConfiguration } from '../ledger/accounts.ts'
import type { Context, Middleware } from 'koa'
import { Histogram, Registry } from 'prom-client'
import Router from '@koa/router'
import Koa from 'koa'
import { addAssetRoutes } from './asset-routes.ts'
import { addCalendarRoutes } from './calendar-routes.ts'
import { addMarketDataRoutes } from './market-data-routes.ts'
import { addOperatorRoutes } from './operator-routes.ts'
import { requireOwnRequest } from './own-requests.ts'
import { addPortfolioRoutes } from './portfolio-routes.ts'
import { addTradingRoutes } from './trading-routes.ts'
import { addWatchlistRoutes } from './watchlist-routes.ts'

const MAX_ANNOUNCED_DAYS = 90

const localDate = z.string().refine(isLocalDate, 'must be a date such as 2026-01-31')
const listOf = <const Values extends readonly string[]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)))
const announcementQuery = z
  .object({
    ca_types: listOf(['dividend', 'merger', 'spinoff', 'split']),
    since: localDate,
    until: localDate,
    symbol: z.string().optional(),
    cusip: z.string().optional(),
    date_type: z.enum(['declaration_date', 'ex_date', 'record_date', 'payable_date']).optional(),
  })
  .refine(({ since, until }) => since <= until, 'since must not be after until')
  .refine(
    ({ since, until }) => until <= addDays(since, MAX_ANNOUNCED_DAYS),
    `the date range is limited to ${MAX_ANNOUNCED_DAYS} days`,
  )
const actionQuery = z.object({
  symbols: symbolList.optional(),
  start: localDate.optional(),
  end: localDate.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  sort: z.enum(['asc', 'desc']).optional(),
})

function addAnnouncementRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const guards = [requireKeys(parts), underFaults(parts, 'get')] as const

  router.get('/v2/corporate_actions/announcements', ...guards, (ctx) => {
    readAs(announcementQuery, ctx.query)
    ctx.body = []
  })

  router.get('/v2/corporate_actions/announcements/:id', ...guards, () => {
    throw reject.notFound('announcement not found')
  })

  router.get('/v1/corporate-actions', ...guards, (ctx) => {
    readAs(actionQuery, ctx.query)
    ctx.body = { corporate_actions: {}, next_page_token: null }
  })
}

const MAX_ACTIVITIES = 100
const activityQuery = z.object({
  after: instant.optional(),
  until: instant.optional(),
  direction: z.enum(['asc', 'desc']).default('desc'),
  page_size: z.coerce.number().int().min(1).max(MAX_ACTIVITIES).default(MAX_ACTIVITIES),
  page_token: z.string().nullish(),
})

function addActivityRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const keys = requireKeys(parts)

  router.get('/v2/account/activities', keys, underFaults(parts, 'get'), (ctx) => {
    const types = readAs(z.string().optional(), ctx.query['activity_types'])
    list(ctx, parts, types === undefined ? ['FILL', 'FEE'] : types.split(','))
  })

  router.get('/v2/account/activities/:type', keys, underFaults(parts, 'get'), (ctx) => {
    list(ctx, parts, [ctx.params['type']!])
  })
}

function list(ctx: VenueContext, { exchange, hours }: VenueParts, types: readonly string[]): void {
  const { page_token: token, page_size: limit, ...query } = readAs(activityQuery, ctx.query)
  const kinds = types.filter((type): type is Activity['kind'] => type === 'FILL' || type === 'FEE')
  const { executions, orders } = exchange
  const accountId = ctx.state.account.id
  const from = token == null ? null : placeOf(token, ctx, exchange)
  const activities =
    kinds.length === 0 ? [] : executions.activities(accountId, { ...query, kinds, from, limit })
  ctx.body = activities.map((activity) => {
    const order = orders.find(accountId, activity.fill.orderId)!
    return presentActivity(activity, order, executions.fillsOfOrder(order.id), hours.dateAt(activity.fill.at))
  })
}

function placeOf(token: string, ctx: VenueContext, { executions }: VenueParts['exchange']): ActivityPlace {
  const id = parseActivityId(token)
  const place = id && executions.placeOf(ctx.state.account.id, id.kind, id.fillId)
  if (!place) throw reject.invalidParameter('page_token is invalid')
  return place
}

/** Absent or null: unchanged. Other keys are ignored, as by Alpaca. */
const change = z.object({
  no_shorting: z.boolean().nullish(),
  suspend_trade: z.boolean().nullish(),
  fractional_trading: z.boolean().nullish(),
  max_margin_multiplier: z
    .union([z.enum(['1', '2', '4']), z.literal([1, 2, 4]).transform((times) => `${times}`)])
    .nullish(),
  trade_confirm_email: z.enum(['all', 'none']).nullish(),
  ptp_no_exception_entry: z.boolean().nullish(),
  disable_overnight_trading: z.boolean().nullish(),
  max_options_trading_level: z.literal([0, 1, 2, 3]).nullish(),
})

function addConfigurationRoutes(router: Router<VenueState>, parts: VenueParts): void {
  const keys = requireKeys(parts)

  router.get('/v2/account/configurations', keys, underFaults(parts, 'get'), (ctx) => {
    ctx.body = ctx.state.account.configuration
  })

  router.patch('/v2/account/configurations', keys, readJsonBody, underFaults(parts, 'get'), (ctx) => {
    const { account } = ctx.state
    const changes = Object.entries(readAs(change, ctx.state.body)).filter(([, value]) => value != null)
    const configuration = {
      ...account.configuration,
      ...(Object.fromEntries(changes) as Partial<AccountConfiguration>),
    }
    parts.exchange.accounts.configure(account.id, configuration)
    ctx.body = configuration
  })
}

const NO_VENUE_ROUTE = 'none'

interface VenueMetrics {
  /** Counts by route, because an address contains ids. */
  observe: Middleware
  serve(ctx: Context): Promise<void>
}

function createVenueMetrics(): VenueMetrics {
  const registry = new Registry()
  const durations = new Histogram({
    name: 'durable_trader_venue_request_duration_seconds',
    help: 'Requests to the paper venue, by route and HTTP status, without those that a fault has cut off',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return {
    async observe(ctx, next) {
      const began = performance.now()
      await next()
      if (ctx.respond === false) return
      const { _matchedRoute: matched, status } = ctx as { _matchedRoute?: unknown; status: number }
      const route = typeof matched === 'string' ? `${ctx.method} ${matched}` : NO_VENUE_ROUTE
      durations.observe({ route, status }, (performance.now() - began) / 1_000)
    },
    async serve(ctx) {
      ctx.type = registry.contentType
      ctx.body = await registry.metrics()
    },
  }
}

export function venueApp(parts: VenueParts, onFault: (error: unknown) => void): Koa<VenueState> {
  const router = new Router<VenueState>()
  addTradingRoutes(router, parts)
  addActivityRoutes(router, parts)
  addConfigurationRoutes(router, parts)
  addPortfolioRoutes(router, parts)
  addAssetRoutes(router, parts)
  addCalendarRoutes(router, parts)
  addMarketDataRoutes(router, parts)
  addWatchlistRoutes(router, parts)
  addAnnouncementRoutes(router, parts)
  addOperatorRoutes(router, parts)
  const metrics = createVenueMetrics()
  router.get('/venue/metrics', (ctx) => metrics.serve(ctx))
  const app = new Koa<VenueState>()
  app.on('error', onFault)
  app.use(metrics.observe)
  app.use(async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) {
        ctx.status = 404
        ctx.body = { code: 40410000, message: 'endpoint not found' }
      }
    } catch (error) {
      if (!(error instanceof Rejection)) {
        onFault(error)
        ctx.status = 500
        ctx.body = { code: 50010000, message: 'internal server error occurred' }
        return
      }
      ctx.status = error.status
      ctx.body = rejectionBody(error)
    }
  })
  app.use(requireOwnRequest(parts.hostNames))
  app.use(router.routes())
  return app
}
