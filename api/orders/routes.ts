import { listOrderEvents, listOrders, ORDER_EVENT_ORDER, ORDER_ORDER } from '#db/orders/queries.ts'
import { scoped } from '../access/policy.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import { listRoute, Reply, route } from '../route/route.ts'
import { presentSignalEvent } from '../signals/record.ts'
import { CANCELLING } from './bounds.ts'
import { cancelOrder } from './cancel-commands.ts'
import type { OrderDeps } from './commands.ts'
import { SOURCE_FILTERS, STATUS_FILTERS } from '#contract/orders/list-schema.ts'
import { ownOrder } from './own-order.ts'
import { presentCancellation, presentOrder, presentOrderDetail, presentOrderStatus } from './record.ts'
import { orderEndpoints } from '#contract/orders/endpoints.ts'

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
