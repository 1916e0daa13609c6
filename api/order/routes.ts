import { listOrderEvents, listOrders, ORDER_EVENT_ORDER, ORDER_ORDER } from '#db/order/queries.ts'
import { scoped } from '../access/policy.ts'
import { temporalUiFor } from '../http/presentation.ts'
import { listRoute, Reply, route } from '../route/route.ts'
import { presentSignalEvent } from '../signal/present.ts'
import { CANCELLING, type OrderDeps, PLACING, placeOrder, dryRunOrder, readRequestKey } from './commands.ts'
import { cancelOrder, ownOrder, cancelAllOrders, letOrderGo } from './cancel.ts'
import { SOURCE_FILTERS, STATUS_FILTERS } from '#contract/order/shapes.ts'
import {
  presentCancellation,
  presentOrder,
  presentOrderDetail,
  presentOrderStatus,
  presentCancelAll,
  presentOrderDryRun,
  presentPlacement,
} from './present.ts'
import { orderEndpoints, cancelAllEndpoints, letGoEndpoints, LET_GO } from '#contract/order/endpoints.ts'
import type { Database } from '#db/engine/database.ts'
import type { DryRunDeps } from '../signal/dry-run.ts'
import { placeEndpoints } from '#contract/order/placing.ts'

export const orderRoutes = [
  listRoute(orderEndpoints['GET /api/v1/orders'], {
    access: scoped('trading:read'),
    list: { order: ORDER_ORDER, rows: 'orders', present: presentOrder },
    run: ({ em, me, filter: { status, source, ...rest }, page }) => {
      const wanted = {
        ...rest,
        statuses: status && STATUS_FILTERS[status],
        roles: source && SOURCE_FILTERS[source],
      }
      return listOrders(em, me.userId, wanted, page)
    },
  }),
  route(orderEndpoints['GET /api/v1/orders/:orderId'], {
    access: scoped('trading:read'),
    run: async ({ me, caller, path }, { temporalUiUrl }: { temporalUiUrl: string | null }) => {
      const { order, account } = await ownOrder(caller, path.orderId)
      return presentOrderDetail(order, account, temporalUiFor(me, temporalUiUrl))
    },
  }),
  route(orderEndpoints['GET /api/v1/orders/:orderId/status'], {
    access: scoped('trading:read'),
    run: async ({ caller, path }) => {
      const { order } = await ownOrder(caller, path.orderId)
      return presentOrderStatus(order, caller.requestId)
    },
  }),
  listRoute(orderEndpoints['GET /api/v1/orders/:orderId/events'], {
    access: scoped('trading:read'),
    list: { order: ORDER_EVENT_ORDER, rows: 'events', present: presentSignalEvent },
    run: async ({ em, caller, path, page }) => {
      const { order } = await ownOrder(caller, path.orderId)
      return listOrderEvents(em, order, page)
    },
  }),
  route(orderEndpoints['DELETE /api/v1/orders/:orderId'], {
    access: scoped('orders:write', { work: 'stopping', bounds: CANCELLING }),
    run: async ({ caller, path }, deps: OrderDeps) => {
      const { order } = await ownOrder(caller, path.orderId)
      const outcome = await cancelOrder(deps, caller, order)
      const { status, body } = presentCancellation(order, outcome, caller.requestId)
      return new Reply(status, body)
    },
  }),
]

export const cancelAllRoutes = [
  route(cancelAllEndpoints['POST /api/v1/orders/cancel-all'], {
    access: scoped('orders:write', { work: 'stopping', bounds: CANCELLING }),
    run: async ({ caller, body }, deps: OrderDeps) => {
      const cancelled = await cancelAllOrders(deps, caller, body)
      const { status, body: data } = presentCancelAll(cancelled, caller.requestId)
      return new Reply(status, data)
    },
  }),
]

export const letGoRoutes = [
  route(letGoEndpoints['POST /api/v1/orders/:orderId/let-go'], {
    access: scoped('orders:write', { work: 'trading', bounds: CANCELLING }),
    run: async ({ caller, path }, { ordinaryDatabase }: { ordinaryDatabase: Database }) => {
      const { order } = await ownOrder(caller, path.orderId)
      await letOrderGo(ordinaryDatabase, caller, order)
      return { success: true as const, message: LET_GO, orderId: order.id, requestId: caller.requestId }
    },
  }),
]

export const placeRoutes = [
  route(placeEndpoints['POST /api/v1/orders'], {
    access: scoped('orders:write', { work: 'trading', reserve: 'people', bounds: PLACING }),
    run: async ({ caller, body: { orderRequest, dryRun }, http }, deps: OrderDeps & DryRunDeps) => {
      const request = readRequestKey(http, { route: 'POST /orders', orderRequest })
      if (dryRun)
        return presentOrderDryRun(
          await dryRunOrder(deps, caller, orderRequest, request !== null),
          caller.requestId,
        )
      const { status, body: data } = presentPlacement(
        await placeOrder(deps, caller, orderRequest, request),
        caller.requestId,
      )
      return new Reply(status, data)
    },
  }),
]
