import { SENT_AT_ONCE } from '../signal/examples.ts'
import { endpoints } from '../endpoint.ts'
import { z } from 'zod'
import { EXAMPLE_REQUEST_ID as requestId } from '../envelopes.ts'
import {
  orderDryRunAnswer,
  placementAnswer,
  rejectedAnswer,
  type OrderDryRunAnswer,
  type PlacedAnswer,
  ORDER_WRITER,
  orderFields,
  readOrderRequest,
  idempotencyHeaders,
} from './shapes.ts'

const PLACED_EXAMPLE = {
  id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
}

const ACCEPTED: PlacedAnswer = {
  id: PLACED_EXAMPLE.id,
  brokerOrderId: 'c1b2a3d4-0001-4c2d-9e3f-7a6b5c4d3e2f',
  status: 'OPEN',
  message: 'The broker accepted the order',
}

const ON_ITS_WAY: PlacedAnswer = {
  id: PLACED_EXAMPLE.id,
  brokerOrderId: null,
  status: 'PENDING',
  message:
    'The order is stored and is sent as soon as possible, but not after 2026-03-02T15:01:00.640Z: look it up by its id',
}

const refused = (error: string, reason: string) => ({
  error,
  message: `${error}: ${reason}`,
  order: { ...ON_ITS_WAY, status: 'REJECTED', message: `The order is REJECTED: ${error}: ${reason}` },
  requestId,
})

const NO_FUNDS = refused('INSUFFICIENT_FUNDS', 'The order needs $22,500, and the account has $10,000')

const DRY_RUN: OrderDryRunAnswer = {
  success: true,
  message: 'Nothing was stored or sent. The order would be sent',
  dryRun: {
    outcome: 'ready',
    code: null,
    signalId: null,
    order: {
      clientOrderId: '<signal id>-e1',
      symbol: 'AAPL',
      side: 'SELL',
      quantity: 10,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
    },
    ...SENT_AT_ONCE,
    verdicts: [
      {
        rule: 'tradingMode',
        outcome: 'skipped',
        message: 'Positions may be closed in every mode',
      },
      { rule: 'size', outcome: 'passed', message: '10 shares' },
    ],
  },
  cost: 1874.8,
  buyingPower: 25000,
  position: { before: 26, after: 16 },
  checkedAt: '2026-03-02T15:00:00.640Z',
  requestId,
}

export const placeEndpoints = endpoints({
  'POST /api/v1/orders': {
    tag: 'Orders',
    summary: 'Place an order',
    description:
      'The order is stored first and then sent, once, whatever fails in between; one that cannot be sent within a minute is not sent any more (`BROKER_ERROR`, status 502). A BUY against a short position covers it and a SELL against a long one closes it, for no more than is held: a position is never turned round. With `reduceOnly` it closes or is refused, also where the position is gone by the time it is sent. An order that closes passes in every trading mode. A person who opens a position with real money has to have proven within five minutes who they are. Words are taken in any case.\n\nRisk limits and the kill switch bind manual orders as they bind signals, except that pausing entries pauses signals only. An order that a rule or the broker rejects is on record as REJECTED.\n\nWith `dryRun` nothing is stored or sent: the answer is the order as it would be sent, what it takes, the position before and after, and what every rule says, as for a signal. Sent with the `Idempotency-Key` of the order that it is about, or without one as that is, it judges repetitions as that is judged.',
    headers: idempotencyHeaders,
    body: {
      schema: z.strictObject(orderFields),
      writer: ORDER_WRITER,
      read: readOrderRequest,
      examples: {
        'at market': {
          accountId: PLACED_EXAMPLE.accountId,
          symbol: 'AAPL',
          side: 'BUY',
          orderType: 'MARKET',
          quantity: 10,
        },
        'with a limit': {
          accountId: PLACED_EXAMPLE.accountId,
          symbol: 'AAPL',
          side: 'BUY',
          orderType: 'LIMIT',
          quantity: 26,
          limitPrice: 187.5,
          timeInForce: 'GTC',
        },
        'asked about only': {
          accountId: PLACED_EXAMPLE.accountId,
          symbol: 'AAPL',
          side: 'SELL',
          orderType: 'MARKET',
          quantity: 10,
          dryRun: true,
        },
      },
    },
    answers: {
      200: {
        description:
          'The present state of the order that an equal request with this `Idempotency-Key` has placed; or a dry run',
        schema: z.union([placementAnswer, orderDryRunAnswer]),
        examples: {
          'filled meanwhile': { success: true, order: { ...ACCEPTED, status: 'FILLED' }, requestId },
          'a dry run': DRY_RUN,
        },
      },
      201: {
        description: 'The broker accepted the order',
        schema: placementAnswer,
        examples: { 'an open order': { success: true, order: ACCEPTED, requestId } },
      },
      202: {
        description: 'The order is stored for good, and the broker has not answered yet',
        schema: placementAnswer,
        examples: { 'on its way': { success: true, order: ON_ITS_WAY, requestId } },
      },
      400: {
        description: 'The broker does not take such an order',
        schema: rejectedAnswer,
        examples: { 'no such symbol': refused('INVALID_ORDER', 'asset "AAPPL" not found') },
      },
      409: {
        description: 'The broker rejects the keys of the connection, or the mode has changed',
        schema: rejectedAnswer,
        examples: { 'keys refused': refused('BROKER_CREDENTIALS_INVALID', 'forbidden') },
      },
      422: {
        description: 'A rule or the broker rejected the order',
        schema: rejectedAnswer,
        examples: { 'no buying power': NO_FUNDS },
      },
      502: {
        description: 'The broker could not be reached in time, so the order was not sent and will not be',
        schema: rejectedAnswer,
        examples: {
          'too old': {
            ...refused('STALE', 'It could not be sent before 2026-03-02T15:01:00.640Z'),
            error: 'BROKER_ERROR',
          },
        },
      },
    },
    errors: [
      'INVALID_ORDER',
      'ACCOUNT_NOT_FOUND',
      'MODE_MISMATCH',
      'VERIFICATION_REQUIRED',
      'IDEMPOTENCY_KEY_REUSED',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'TOO_BUSY',
    ],
  },
})
