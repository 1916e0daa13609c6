import type { Database } from '#db/engine/database.ts'
import { scoped } from '../access/policy.ts'
import { route } from '../route/route.ts'
import { CANCELLING } from './bounds.ts'
import { letOrderGo } from './let-go-commands.ts'
import { ownOrder } from './own-order.ts'
import { letGoEndpoints, LET_GO } from '#contract/orders/let-go-endpoints.ts'

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
