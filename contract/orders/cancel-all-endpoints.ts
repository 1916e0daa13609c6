import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { EXAMPLE_REQUEST_ID as requestId } from '../examples.ts'
import { symbol, trueOrFalse, uuid } from '../values/values.ts'
import { cancelAllAnswer, type CancelAllAnswer } from './answers.ts'
import { CANCELLED_AT_ONCE } from './list-schema.ts'

const CANCELLED_ORDER = { orderId: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a', symbol: 'AAPL' }

const EXAMPLE: CancelAllAnswer = {
  success: true,
  orders: [{ ...CANCELLED_ORDER, outcome: 'cancelled', error: null, message: 'The order is cancelled' }],
  left: 0,
  requestId,
}

export const cancelAllEndpoints = endpoints({
  'POST /api/v1/orders/cancel-all': {
    tag: 'Orders',
    summary: 'Cancel all orders that work',
    description: `Whoever placed them; of one account or one symbol where those are named. Each is cancelled as \`DELETE /orders/:orderId\` cancels one, at most ${CANCELLED_AT_ONCE} in one request; \`left\` tells of more. It may be repeated: it is asked of those that still work. A token cancels those that it may cancel one by one, and \`left\` tells of those.`,
    body: {
      optional: true,
      schema: z.strictObject({
        accountId: uuid().optional(),
        symbol: symbol().optional(),
        keepExits: trueOrFalse()
          .describe(
            'Exits of signals go on working. Stop orders that a person has placed and closing signals are cancelled all the same',
          )
          .default(false),
      }),
      examples: {
        'of one account, but for exits': {
          accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
          keepExits: true,
        },
      },
    },
    answers: {
      200: {
        description:
          'No order that the caller may cancel works any more; none did where there is no line. Signals that wait have no order yet, and stay',
        schema: cancelAllAnswer,
        examples: { cancelled: EXAMPLE },
      },
      202: {
        description:
          'Some may still work: the broker has not confirmed their end, their cancel failed, or there are more',
        schema: cancelAllAnswer,
        examples: {
          'not confirmed': {
            ...EXAMPLE,
            orders: [
              {
                ...CANCELLED_ORDER,
                outcome: 'asked',
                error: null,
                message:
                  'The order is being cancelled; the broker has not confirmed it yet, and until then it may fill',
              },
            ],
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
})
