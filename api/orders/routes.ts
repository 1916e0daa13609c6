import { findOrder, listOrders, ORDER_ORDER } from '#db/order-queries.ts'
import Router from '@koa/router'
import { principalOf, type ApiState, type RouteMiddleware } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { ApiError } from '../errors.ts'
import { presentPaging, readListQuery } from '../paging.ts'
import { isId } from '../validation/query.ts'
import { presentOrder, presentOrderDetail } from './presenter.ts'
import { orderListQuery, STATUS_FILTERS } from './query.ts'

/** The routes of orders, behind the admit guard. */
export function orderRoutes(admit: RouteMiddleware): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: '/api/v1/orders' })
  router.use(admit)

  router.get('/', async (ctx) => {
    const { filter, page } = readListQuery(ctx, orderListQuery, ORDER_ORDER)
    const { status, ...rest } = filter
    const wanted = { ...rest, statuses: status && STATUS_FILTERS[status] }
    const list = listOrders(ctx.state.em, principalOf(ctx).userId, wanted, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    ctx.body = { orders: slice.items.map(presentOrder), ...presentPaging(slice, page) }
  })

  router.get('/:orderId', async (ctx) => {
    const { orderId } = ctx.params
    const found = isId(orderId)
      ? await beforeDatabaseDeadline(ctx, findOrder(ctx.state.em, principalOf(ctx).userId, orderId))
      : null
    if (!found) throw new ApiError('ORDER_NOT_FOUND')
    ctx.body = presentOrderDetail(found.order, found.account)
  })

  return router
}
