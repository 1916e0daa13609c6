import { acknowledgeAlert, ALERT_ORDER, listAlerts } from '#db/risk/alerts.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { isId } from '../http/validation/query.ts'
import { presentAlert } from './record.ts'
import { alertListQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of alerts. */
export function alertRoutes(): RouteList {
  const routes = new RouteList('/api/v1/alerts')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, alertListQuery, ALERT_ORDER)
    const list = listAlerts(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const alerts = slice.items.map(presentAlert)
    ctx.body = standardSuccess({ alerts, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.post('/:id/acknowledge', async (ctx) => {
    const { id } = ctx.params
    const alert = isId(id) ? await beforeDatabaseDeadline(ctx, acknowledge(ctx, id)) : null
    if (!alert) throw new ApiError('ALERT_NOT_FOUND')
    ctx.body = standardSuccess({ alert: presentAlert(alert) }, ctx.state.requestId)
  })

  return routes
}

async function acknowledge(ctx: ApiContext, id: string) {
  const { userId, tokenId } = principalOf(ctx)
  const { em } = ctx.state
  return acknowledgeAlert(em, userId, id, await nameActor(em, userId, tokenId))
}
