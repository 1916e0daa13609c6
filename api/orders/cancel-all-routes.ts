import { scoped } from '../access/policy.ts'
import { Reply, route } from '../route/route.ts'
import { CANCELLING } from './bounds.ts'
import { cancelAllOrders } from './cancel-all-commands.ts'
import type { OrderDeps } from './commands.ts'
import { presentCancelAll } from './record.ts'
import { cancelAllEndpoints } from '#contract/orders/cancel-all-endpoints.ts'

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
