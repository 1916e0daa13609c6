import type Router from '@koa/router'
import { z } from 'zod'
import type { Activity, ActivityPlace } from '../ledger/executions.ts'
import { reject } from '../rejection.ts'
import { parseActivityId, presentActivity } from '../wire/activity.ts'
import { instant, readAs } from './body.ts'
import { requireKeys, type VenueContext, type VenueParts, type VenueState } from './context.ts'
import { underFaults } from './scripted-answers.ts'

const MAX_ACTIVITIES = 100
const activityQuery = z.object({
  after: instant.optional(),
  until: instant.optional(),
  direction: z.enum(['asc', 'desc']).default('desc'),
  page_size: z.coerce.number().int().min(1).max(MAX_ACTIVITIES).default(MAX_ACTIVITIES),
  page_token: z.string().nullish(),
})

export function addActivityRoutes(router: Router<VenueState>, parts: VenueParts): void {
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
