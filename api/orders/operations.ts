import { z } from 'zod'
import { examplePaging } from '../openapi/examples.ts'
import type { Operations } from '../openapi/operation.ts'
import { uuid } from '../validation/values.ts'
import { orderDetailAnswer, orderListAnswer, type OrderAnswer } from './answers.ts'
import { orderListQuery } from './query.ts'

const EXAMPLE: OrderAnswer = {
  id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  brokerOrderId: 'c1b2a3d4-0001-4c2d-9e3f-7a6b5c4d3e2f',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  quantity: 26,
  filledQuantity: 26,
  limitPrice: 187.5,
  avgFillPrice: 187.48,
  status: 'FILLED',
  timeInForce: 'DAY',
  createdAt: '2026-03-02T15:00:00.640Z',
  filledAt: '2026-03-02T15:00:00.810Z',
}

/** The routes of orders, for the description of the API. */
export const orderOperations: Operations = {
  'GET /api/v1/orders': {
    tag: 'Orders',
    summary: 'List orders, the newest first',
    description: 'The status `OPEN` finds every order that still works at the broker.',
    query: orderListQuery,
    answers: {
      200: {
        description: 'Orders of the caller that fit the filter',
        schema: orderListAnswer,
        examples: { 'a filled order': { orders: [EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/orders/:orderId': {
    tag: 'Orders',
    summary: 'Show an order with all that is known of it',
    path: z.strictObject({ orderId: uuid() }),
    answers: {
      200: {
        description: 'The order',
        schema: orderDetailAnswer,
        examples: {
          'a filled order': {
            ...EXAMPLE,
            stopPrice: null,
            duration: 'DAY',
            updatedAt: '2026-03-02T15:00:00.870Z',
            signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
            role: 'entry',
            clientOrderId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e-e1',
            extendedHours: false,
            reason: null,
            account: { id: EXAMPLE.accountId, name: 'Paper account' },
          },
        },
      },
    },
    errors: ['ORDER_NOT_FOUND'],
  },
}
