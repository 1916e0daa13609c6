import type { Database } from '#db/engine/database.ts'
import { scoped } from '../access/policy.ts'
import { EXAMPLE_REQUEST_ID } from '../http/examples.ts'
import { idOf, route } from '../route/route.ts'
import { cancellationAnswer } from './answers.ts'
import { CANCELLING } from './bounds.ts'
import { letOrderGo } from './let-go-commands.ts'
import { ownOrder } from './own-order.ts'

const LET_GO = 'The order counts as cancelled, with as much filled as is known'
const EXAMPLE_ID = '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'

export const letGoRoutes = [
  route({
    name: 'POST /api/v1/orders/:orderId/let-go',
    access: scoped('orders:write', { work: 'trading', bounds: CANCELLING }),
    tag: 'Orders',
    summary: 'Let an order go that its broker does not know',
    description:
      'For an order that its broker has shown neither by its own id nor by ours for a minute, and that the service does not end of itself because the position says that it may have filled or works (alert `order_unknown_at_broker`). The order counts as cancelled, with as much filled as is known, and its connection can be removed. Should the broker report a fill all the same, an alert tells of that.',
    path: { orderId: idOf('ORDER_NOT_FOUND') },
    answers: {
      200: {
        description: 'The order counts as cancelled',
        schema: cancellationAnswer,
        examples: {
          'let go': { success: true, message: LET_GO, orderId: EXAMPLE_ID, requestId: EXAMPLE_REQUEST_ID },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND', 'ORDER_NOT_CANCELLABLE'],
    run: async ({ caller, path }, { ordinaryDatabase }: { ordinaryDatabase: Database }) => {
      const { order } = await ownOrder(caller, path.orderId)
      await letOrderGo(ordinaryDatabase, caller, order)
      return { success: true as const, message: LET_GO, orderId: order.id, requestId: caller.requestId }
    },
  }),
]
