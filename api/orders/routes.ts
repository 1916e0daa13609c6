import type { Account, Order } from '#db/entities/index.ts'
import { findOrder, listOrderEvents, listOrders, ORDER_EVENT_ORDER, ORDER_ORDER } from '#db/orders/queries.ts'
import { accountDenial } from '../access/account-denial.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { ApiError } from '../http/errors.ts'
import { readJsonBody } from '../http/body.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { presentSignalEvent } from '../signals/record.ts'
import { deciderOf, type Decider } from '../access/sender.ts'
import { isId } from '../http/validation/query.ts'
import { cancelOrder } from './cancel-commands.ts'
import { readRequestKey } from './idempotency.ts'
import { earlierPlacement, placeOrders, type OrderDeps, type Placement } from './commands.ts'
import { presentPlacement } from './placement-record.ts'
import { presentCancellation, presentOrder, presentOrderDetail, presentOrderStatus } from './record.ts'
import { orderEventsQuery, orderListQuery, STATUS_FILTERS } from './list-schema.ts'
import { readOrderRequest, type OrderWish } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of orders. */
export function orderRoutes(deps: OrderDeps): RouteList {
  const routes = new RouteList('/api/v1/orders')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, orderListQuery, ORDER_ORDER)
    const { status, source, ...rest } = filter
    const wanted = { ...rest, statuses: status && STATUS_FILTERS[status], placedBy: source }
    const list = listOrders(ctx.state.em, principalOf(ctx).userId, wanted, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    ctx.body = { orders: slice.items.map(presentOrder), ...presentPaging(slice, page) }
  })

  routes.post('', async (ctx) => {
    const wish = readOrderRequest(await readJsonBody(ctx))
    const placement = await placeOrder(ctx, deps, await deciderOf(ctx), wish)
    Object.assign(ctx, presentPlacement(placement, ctx.state.requestId))
  })

  routes.get('/:orderId', async (ctx) => {
    const { order, account } = await ownOrder(ctx)
    ctx.body = presentOrderDetail(order, account)
  })

  routes.get('/:orderId/status', async (ctx) => {
    const { order } = await ownOrder(ctx)
    ctx.body = presentOrderStatus(order, ctx.state.requestId)
  })

  routes.get('/:orderId/events', async (ctx) => {
    const { page } = readListQuery(ctx, orderEventsQuery, ORDER_EVENT_ORDER)
    const { order } = await ownOrder(ctx)
    const slice = await beforeDatabaseDeadline(ctx, listOrderEvents(ctx.state.em, order, page))
    ctx.body = { events: slice.items.map(presentSignalEvent), ...presentPaging(slice, page) }
  })

  routes.delete('/:orderId', async (ctx) => {
    const { order } = await ownOrder(ctx)
    const outcome = await cancelOrder(deps, await deciderOf(ctx), order)
    Object.assign(ctx, presentCancellation(order, outcome, ctx.state.requestId))
  })

  return routes
}

/** Throws {@link ApiError} ACCOUNT_NOT_FOUND and MODE_MISMATCH, and as the commands do. */
async function placeOrder(
  ctx: ApiContext,
  deps: OrderDeps,
  decider: Decider,
  wish: OrderWish,
): Promise<Placement> {
  const request = readRequestKey(ctx, { route: 'POST /orders', wish })
  const earlier = await earlierPlacement(deps, decider, request)
  if (earlier) return earlier
  const rejection = await beforeDatabaseDeadline(
    ctx,
    accountDenial(ctx.state.em, decider.principal, wish.accountId),
  )
  if (rejection) throw rejection
  return placeOrders(deps, decider, [wish], request)
}

/** The caller's order that the path names; another's is answered like an absent one. */
async function ownOrder(ctx: ApiContext): Promise<{ order: Order; account: Account }> {
  const { orderId } = ctx.params
  const found = isId(orderId)
    ? await beforeDatabaseDeadline(ctx, findOrder(ctx.state.em, principalOf(ctx).userId, orderId))
    : null
  if (!found) throw new ApiError('ORDER_NOT_FOUND')
  return found
}
