import { acknowledgeAlert, ALERT_ORDER, listAlerts } from '#db/alerts.ts'
import { nameActor } from '#db/actor-names.ts'
import { ALERT_KINDS } from '#domain/alert.ts'
import Router from '@koa/router'
import { z } from 'zod'
import { principalOf, type ApiContext, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { ApiError } from '../errors.ts'
import { presentPaging, readListQuery } from '../paging.ts'
import { isId, paging } from '../validation/query.ts'
import { oneOf, uuid } from '../validation/values.ts'
import { presentAlert } from './presenter.ts'

const alertListQuery = z.strictObject({
  ...paging,
  state: oneOf(['open', 'all']).default('open'),
  kind: oneOf(ALERT_KINDS).optional(),
  accountId: uuid().optional(),
  signalId: uuid().optional(),
})

/** The routes of alerts, behind the admit guard. */
export function alertRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/alerts' })
  router.use(admit)

  router.get('/', async (ctx) => {
    const { filter, page } = readListQuery(ctx, alertListQuery, ALERT_ORDER)
    const list = listAlerts(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const alerts = slice.items.map(presentAlert)
    ctx.body = standardSuccess({ alerts, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  router.post('/:id/acknowledge', async (ctx) => {
    const { id } = ctx.params
    const alert = isId(id) ? await beforeDatabaseDeadline(ctx, acknowledge(ctx, id)) : null
    if (!alert) throw new ApiError('ALERT_NOT_FOUND')
    ctx.body = standardSuccess({ alert: presentAlert(alert) }, ctx.state.requestId)
  })

  return router
}

async function acknowledge(ctx: ApiContext, id: string) {
  const { userId, tokenId } = principalOf(ctx)
  const { em } = ctx.state
  return acknowledgeAlert(em, userId, id, await nameActor(em, userId, tokenId))
}
