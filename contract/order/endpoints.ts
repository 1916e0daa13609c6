import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_REQUEST_ID as requestId, examplePaging, EXAMPLE_REQUEST_ID } from '../envelopes.ts'
import {
  cancellationAnswer,
  orderDetailAnswer,
  orderEventsAnswer,
  orderListAnswer,
  orderStatusAnswer,
  type OrderAnswer,
  orderEventsQuery,
  orderListQuery,
  cancelAllAnswer,
  type CancelAllAnswer,
  CANCELLED_AT_ONCE,
} from './shapes.ts'
import { z } from 'zod'
import { symbol, trueOrFalse, uuid } from '../values/values.ts'

const ORDER_EXAMPLE: OrderAnswer = {
  id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  brokerOrderId: 'c1b2a3d4-0001-4c2d-9e3f-7a6b5c4d3e2f',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  quantity: 26,
  filledQuantity: 26,
  limitPrice: 187.5,
  stopPrice: null,
  stopLimitPrice: null,
  trail: null,
  avgFillPrice: 187.48,
  status: 'FILLED',
  timeInForce: 'DAY',
  expiresAt: null,
  createdAt: '2026-03-02T15:00:00.640Z',
  filledAt: '2026-03-02T15:00:00.810Z',
  signalId: null,
  role: 'manual',
}

const orderPath = { orderId: idOf('ORDER_NOT_FOUND') }

const orderId = ORDER_EXAMPLE.id

export const orderEndpoints = endpoints({
  'GET /api/v1/orders': {
    tag: 'Orders',
    summary: 'List orders, the newest first',
    description:
      'The status `OPEN` finds every order that still works at the broker or is on its way there; `source` separates orders of signals from manual ones.',
    query: orderListQuery,
    answers: {
      200: {
        description: 'Orders of the caller that fit the filter',
        schema: orderListAnswer,
        examples: { 'a filled order': { orders: [ORDER_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/orders/:orderId': {
    tag: 'Orders',
    summary: 'Get an order with all details',
    path: orderPath,
    answers: {
      200: {
        description: 'The order',
        schema: orderDetailAnswer,
        examples: {
          'a filled order': {
            ...ORDER_EXAMPLE,
            duration: 'DAY',
            updatedAt: '2026-03-02T15:00:00.870Z',
            signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
            role: 'entry',
            clientOrderId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e-e1',
            extendedHours: false,
            reason: null,
            account: { id: ORDER_EXAMPLE.accountId, name: 'Paper account' },
            workflow: { id: 'signal-2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e', url: null },
          },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND'],
  },
  'GET /api/v1/orders/:orderId/status': {
    tag: 'Orders',
    summary: 'Get the progress of an order',
    path: orderPath,
    answers: {
      200: {
        description: 'The order',
        schema: orderStatusAnswer,
        examples: {
          'partly filled': {
            orderId,
            status: 'PARTIALLY_FILLED',
            filledQuantity: 10,
            remainingQuantity: 16,
            avgFillPrice: 187.48,
            updatedAt: '2026-03-02T15:00:00.870Z',
            requestId,
          },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND'],
  },
  'GET /api/v1/orders/:orderId/events': {
    tag: 'Orders',
    summary: 'Get the timeline of an order',
    description:
      'For an order of a signal this is the part of the signal’s timeline that is about the order.',
    path: orderPath,
    query: orderEventsQuery,
    answers: {
      200: {
        description: 'What has happened, oldest first',
        schema: orderEventsAnswer,
        examples: {
          'an acceptance': {
            events: [
              {
                kind: 'acknowledged',
                at: '2026-03-02T15:00:00.640Z',
                message: 'The broker accepted the order: BUY 26 AAPL limit 187.5 (day)',
                data: {
                  clientOrderId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e-e1',
                  brokerOrderId: ORDER_EXAMPLE.brokerOrderId,
                },
              },
            ],
            ...examplePaging(1),
            limit: 500,
          },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND'],
  },
  'DELETE /api/v1/orders/:orderId': {
    tag: 'Orders',
    summary: 'Cancel an order that works',
    description:
      'Any order, by a signal or by hand. Shares that have filled stay bought or sold: after a cancelled entry they get the exit that the signal asks for, after a cancelled exit the position stays open. A cancel is asked for until the order has ended.',
    path: orderPath,
    answers: {
      200: {
        description: 'The order is cancelled',
        schema: cancellationAnswer,
        examples: {
          cancelled: { success: true, message: 'The order is cancelled', orderId, requestId },
        },
      },
      202: {
        description: 'The cancel is under way and not confirmed yet; the order may fill until it is',
        schema: cancellationAnswer,
        examples: {
          'not confirmed': {
            success: true,
            message:
              'The order is being cancelled; the broker has not confirmed it yet, and until then it may fill',
            orderId,
            requestId,
          },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND', 'ORDER_NOT_CANCELLABLE', 'TEMPORAL_UNAVAILABLE'],
  },
})

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
    description: `Orders of signals and orders by hand; of one account or one symbol where those are named. Each is cancelled as \`DELETE /orders/:orderId\` cancels one, at most ${CANCELLED_AT_ONCE} in one request; \`left\` counts the rest. You may repeat the request: it cancels the orders that still work. A token cancels those that it may cancel one by one, and \`left\` counts only those.`,
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

export const LET_GO = 'The order counts as cancelled, with as much filled as is known'

const EXAMPLE_ID = '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'

export const letGoEndpoints = endpoints({
  'POST /api/v1/orders/:orderId/let-go': {
    tag: 'Orders',
    summary: 'Count an order as cancelled that its broker does not know',
    description:
      'For an order that its broker has shown neither by its own id nor by ours for a minute, and that the service does not end of itself because the position says that it may have filled or works (alert `order_unknown_at_broker`). The order counts as cancelled, with as much filled as is known, and its connection can be removed. Should the broker report a fill all the same, an alert reports it.',
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
