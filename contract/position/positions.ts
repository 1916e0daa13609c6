import { z } from 'zod'
import { placedAnswer, rejectedAnswer, closeFields, idempotencyHeaders } from '../order/shapes.ts'
import { levelsAnswer } from '../exit/answers.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_REQUEST_ID } from '../envelopes.ts'
import { symbol, uuid } from '../values/values.ts'
import { decidedAnswer } from '../signal/answers.ts'
import { EXAMPLE_SIGNAL } from '../signal/examples.ts'
import { protectionFields } from '../signal/fields.ts'

const positionProtectionAnswer = z
  .strictObject({
    protectedBy: z
      .array(z.strictObject({ signalId: z.uuid(), ...levelsAnswer.shape }))
      .describe('Levels of signals, such as stops and targets'),
    closing: z
      .array(
        z.strictObject({
          signalId: z.uuid().nullable().describe('Null for an order placed by hand'),
          orderId: z.uuid().nullable().describe('Null for an exit that waits'),
          quantity: z.number().describe('Shares'),
          at: z.iso.datetime().nullable().describe('When the exit is sent, where that is known'),
        }),
      )
      .describe('Exits that wait for their time, and orders that work, of signals without levels'),
    unprotected: z.number().describe('Shares that none of these covers'),
  })
  .meta({ id: 'PositionProtection' })

export const accountPositionAnswer = z
  .strictObject({
    id: z.uuid(),
    symbol: z.string(),
    quantity: z.number().describe('Shares'),
    side: z.enum(['LONG', 'SHORT']),
    avgCost: z.number().describe('Dollars a share'),
    currentPrice: z.number().describe('Dollars a share'),
    marketValue: z.number(),
    unrealisedPnl: z.number(),
    unrealisedPnlPercent: z.number(),
    lastUpdated: z.iso.datetime().describe('When the broker last reported it'),
  })
  .meta({ id: 'AccountPosition' })

export const positionAnswer = z
  .strictObject({
    ...accountPositionAnswer.shape,
    accountId: z.uuid(),
    dayChange: z
      .number()
      .nullable()
      .describe('Change of the price today; null where the broker does not report it'),
    dayChangePercent: z.number().nullable(),
    protection: positionProtectionAnswer
      .exactOptional()
      .describe('What protects it; left out of the records of a companion'),
  })
  .meta({ id: 'Position' })

const positionSummaryAnswer = z
  .strictObject({
    totalMarketValue: z.number(),
    totalUnrealisedPnl: z.number(),
    totalDayChange: z
      .number()
      .nullable()
      .describe(
        'Gained today: since the last close, or since the purchase where that was later; null when that is not known of every position',
      ),
    positionCount: z.int(),
  })
  .meta({ id: 'PositionSummary' })

const positionListAnswer = z.strictObject({
  positions: z.array(positionAnswer),
  summary: positionSummaryAnswer,
  dayReferences: z
    .record(z.uuid(), z.number().nullable())
    .describe(
      'By the id of a position, dollars a share, on average, from which its result of today counts: of shares that were opened today what they cost with fees, of others the last close; null where that is not known',
    ),
})
const accountPositionListAnswer = z.strictObject({
  accountId: z.uuid(),
  positions: z.array(accountPositionAnswer),
  summary: positionSummaryAnswer,
})

export type PositionProtectionAnswer = z.output<typeof positionProtectionAnswer>
export type AccountPositionAnswer = z.output<typeof accountPositionAnswer>
export type PositionAnswer = z.output<typeof positionAnswer>
export type PositionSummaryAnswer = z.output<typeof positionSummaryAnswer>

const closingLineAnswer = z.strictObject({ symbol: z.string(), order: placedAnswer })
const closingAnswer = z.strictObject({
  success: z
    .boolean()
    .describe(
      'The order leaves no shares to orders that were not placed here, and does not wait for a position that the broker does not show',
    ),
  accountId: z.uuid(),
  orders: z.array(closingLineAnswer).describe('The order'),
  requestId: z.uuid(),
})

export type ClosingLineAnswer = z.output<typeof closingLineAnswer>
export type ClosingAnswer = z.output<typeof closingAnswer>

const positionListQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional() })

const accountPath = { accountId: idOf('ACCOUNT_NOT_FOUND') }

const POSITION_EXAMPLE: AccountPositionAnswer = {
  id: '6b5a4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c2d',
  symbol: 'AAPL',
  quantity: 26,
  side: 'LONG',
  avgCost: 187.48,
  currentPrice: 188.1,
  marketValue: 4890.6,
  unrealisedPnl: 16.12,
  unrealisedPnlPercent: 0.3307,
  lastUpdated: '2026-03-02T15:04:05.000Z',
}

const POSITIONS_SUMMARY = {
  totalMarketValue: 4890.6,
  totalUnrealisedPnl: 16.12,
  totalDayChange: 16.12,
  positionCount: 1,
}

const AS_SYNCED =
  'Positions as the broker last reported them; a sync of the account refreshes them. Closed positions are not shown. Positions of an account that was never synced, or whose connection has been in error for five minutes, are not known: `POSITIONS_UNAVAILABLE`.'

const CLOSING_EXAMPLE: ClosingAnswer = {
  success: true,
  accountId: EXAMPLE_ACCOUNT_ID,
  orders: [
    {
      symbol: 'AAPL',
      order: {
        id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
        brokerOrderId: 'c1b2a3d4-0001-4c2d-9e3f-7a6b5c4d3e2f',
        status: 'FILLED',
        message: 'The broker accepted the order',
      },
    },
  ],
  requestId: EXAMPLE_REQUEST_ID,
}

const closed = (description: string) => ({
  description,
  schema: closingAnswer,
  examples: { 'one position': CLOSING_EXAMPLE },
})

export const positionEndpoints = endpoints({
  'GET /api/v1/positions': {
    tag: 'Positions',
    summary: 'List the positions of all accounts',
    description: AS_SYNCED,
    query: positionListQuery,
    answers: {
      200: {
        description: 'Positions of the caller that fit the filter, and their totals',
        schema: positionListAnswer,
        examples: {
          'one position': {
            positions: [
              {
                ...POSITION_EXAMPLE,
                accountId: EXAMPLE_ACCOUNT_ID,
                dayChange: 0.62,
                dayChangePercent: 0.3307,
                protection: {
                  protectedBy: [],
                  closing: [
                    {
                      signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
                      orderId: null,
                      quantity: 26,
                      at: '2026-03-02T20:45:00.000Z',
                    },
                  ],
                  unprotected: 0,
                },
              },
            ],
            summary: POSITIONS_SUMMARY,
            dayReferences: { [POSITION_EXAMPLE.id]: 187.48 },
          },
        },
      },
    },
    errors: ['POSITIONS_UNAVAILABLE'],
  },
  'GET /api/v1/positions/:accountId': {
    tag: 'Positions',
    summary: 'List the positions of one account',
    description: AS_SYNCED,
    path: accountPath,
    answers: {
      200: {
        description: 'Positions of the account, and their totals',
        schema: accountPositionListAnswer,
        examples: {
          'one position': {
            accountId: EXAMPLE_ACCOUNT_ID,
            positions: [POSITION_EXAMPLE],
            summary: POSITIONS_SUMMARY,
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'POSITIONS_UNAVAILABLE'],
  },
  'POST /api/v1/positions/:accountId/:symbol/close': {
    tag: 'Positions',
    summary: 'Close a position, or a part of it',
    description:
      'A manual market order, sized to what is held, and again right before it is sent, so that no position is turned round. A position that the executions know of and the broker does not show is not taken for closed: the order waits until it is shown, and is refused once executions explain it. Orders of the service that hold the shares, such as resting exits, are cancelled first. Shares that orders from elsewhere hold are not closed: the order says so, and `success` is false.',
    path: { ...accountPath, symbol: { schema: symbol(), absent: 'POSITION_NOT_FOUND' } },
    headers: idempotencyHeaders,
    body: {
      schema: z.strictObject(closeFields),
      optional: true,
      examples: { 'a part of it': { quantity: 5 } },
    },
    answers: {
      200: closed(
        'The present state of the order that an equal request with this `Idempotency-Key` has placed',
      ),
      201: closed('The broker took the order'),
      202: closed(
        'The order is stored for good, and the broker has not answered yet; or it does not show the position that the executions know of, and is asked again: then `success` is false, and the order says so',
      ),
      422: {
        description: 'A rule or the broker rejected the order',
        schema: rejectedAnswer,
        examples: {
          'trading stopped': {
            error: 'TRADING_STOPPED',
            message: 'TRADING_STOPPED: Trading is stopped for this account: drill',
            order: { ...CLOSING_EXAMPLE.orders[0]!.order, status: 'REJECTED', brokerOrderId: null },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'BROKER_CREDENTIALS_INVALID',
      'IDEMPOTENCY_KEY_REUSED',
      'POSITIONS_UNAVAILABLE',
      'POSITION_NOT_FOUND',
      'POSITION_HELD',
    ],
  },
  'POST /api/v1/positions/:accountId/:symbol/protection': {
    tag: 'Positions',
    summary: 'Set a stop and target for shares without an exit',
    description:
      'Shares that were bought by hand, elsewhere, or before this service followed the account get a signal with the origin `adopted`, which has only an exit: it is for all shares of the symbol that no signal owns, grows and shrinks with them, and is changed and ended like the exit of any other signal (`PATCH /signals/:id/protection`). A repeated request changes the levels. Shares of signals without an exit get the same levels, at their own signals. Distances count from the average price of the position, or of the fills of the signal. The answer has the adopting signal, or the first of the others.',
    path: { ...accountPath, symbol: { schema: symbol(), absent: 'POSITION_NOT_FOUND' } },
    body: {
      schema: z.strictObject(protectionFields),
      examples: { 'a stop and a target': { stop: { percent: 5 }, target: { percent: 10 } } },
    },
    answers: {
      200: {
        description: 'The shares have the levels',
        schema: decidedAnswer,
        examples: { protected: { signal: EXAMPLE_SIGNAL } },
      },
      202: {
        description: 'The change of their levels was passed on and is not confirmed yet',
        schema: decidedAnswer,
        examples: { 'not confirmed yet': { signal: EXAMPLE_SIGNAL } },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'NOTHING_TO_ADOPT',
      'POSITION_NOT_FOUND',
      'PROTECTION_NOT_CHANGEABLE',
      'WOULD_BE_REFUSED',
      'TEMPORAL_UNAVAILABLE',
    ],
  },
})
