import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_REQUEST_ID } from '../examples.ts'
import { cancellationAnswer } from './answers.ts'

export const LET_GO = 'The order counts as cancelled, with as much filled as is known'

const EXAMPLE_ID = '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'

export const letGoEndpoints = endpoints({
  'POST /api/v1/orders/:orderId/let-go': {
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
  },
})
