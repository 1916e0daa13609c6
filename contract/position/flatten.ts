import { z } from 'zod'
import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_REQUEST_ID } from '../envelopes.ts'
import { eachOnce, lineOfText, symbol, uuid, wholeNumber } from '../values/values.ts'
import { idempotencyHeaders } from '../order/shapes.ts'

const instant = () => z.iso.datetime()

const flattenLineAnswer = z
  .strictObject({
    accountId: z.uuid(),
    symbol: z.string(),
    side: z.enum(['LONG', 'SHORT']),
    quantity: z.number().describe('Shares that were held when it was first looked at'),
    status: z
      .enum(['closing', 'closed', 'failed', 'held'])
      .describe(
        'closing: an order is on its way, or waits for the session. held: something keeps it from being closed, and it is tried again. failed: it is not tried again, and there is an alert',
      ),
    orderId: z
      .uuid()
      .nullable()
      .describe('The manual order that closes it, the last one where it was tried again'),
    detail: z.string().nullable().describe('What it waits for, or why it failed, in words'),
  })
  .meta({ id: 'FlattenLine' })

const flattenAnswer = z
  .strictObject({
    id: z.uuid(),
    status: z
      .enum(['working', 'done', 'failed'])
      .describe('done: nothing is held any more, and nothing from before can open a position'),
    cause: z
      .enum(['request', 'close'])
      .describe('request: a person or a program asked for it. close: it is flat by the close, by a setting'),
    reason: z.string().nullable(),
    createdAt: instant(),
    endedAt: instant().nullable(),
    left: z
      .array(z.strictObject({ accountId: z.uuid(), symbol: z.string(), detail: z.string() }))
      .describe(
        'Orders that may still open a position: entries that are being stopped, and orders from elsewhere, which their owner must cancel where they were placed',
      ),
    lines: z.array(flattenLineAnswer).describe('One for each position; none where nothing is held'),
  })
  .meta({ id: 'Flatten' })

const flattenOneAnswer = z.strictObject({ flatten: flattenAnswer, requestId: z.uuid() })
const flattenListAnswer = z.strictObject({ flattens: z.array(flattenAnswer) })

export type FlattenAnswer = z.output<typeof flattenAnswer>

const FLATTEN_EXAMPLE: FlattenAnswer = {
  id: '2f1e0d9c-8b7a-4695-8472-615049382716',
  status: 'working',
  cause: 'request',
  reason: 'before the figures',
  createdAt: '2026-03-02T15:04:05.000Z',
  endedAt: null,
  left: [],
  lines: [
    {
      accountId: EXAMPLE_ACCOUNT_ID,
      symbol: 'AAPL',
      side: 'LONG',
      quantity: 26,
      status: 'closing',
      orderId: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
      detail: null,
    },
  ],
}

const DONE: FlattenAnswer = {
  ...FLATTEN_EXAMPLE,
  status: 'done',
  endedAt: '2026-03-02T15:04:07.000Z',
  lines: FLATTEN_EXAMPLE.lines.map((line) => ({ ...line, status: 'closed' })),
}

export const flattenEndpoints = endpoints({
  'POST /api/v1/positions/flatten': {
    tag: 'Positions',
    summary: 'Close everything',
    description:
      'Of one account, or of all of the mode. Entries that work are cancelled and signals that wait are withdrawn (of a token bound by `ownSignalsOnly` its own), then every position is closed at market, for what is held when its order is sent. It is stored before anything is sent, and seen to its end: what is refused for a reason that can pass is tried again, and what is not closed after a minute of an open session is alarmed as `not_flat`. Outside a session the orders wait at the broker for the next one. A full stop keeps orders back, those that close too: the lines are `held` and say so, and go on by themselves once it is lifted, or made `reduceOnly`. It closes what is held and what was asked for before it; what is opened later stays, in a symbol that was closed too. To keep new positions out, stop trading as well, with `reduceOnly`.',
    headers: idempotencyHeaders,
    body: {
      optional: true,
      schema: z.strictObject({
        accountId: uuid().describe('All accounts of the mode without it').optional(),
        symbols: eachOnce(symbol(), 'symbols', 200).describe('Every symbol without it').optional(),
        reason: lineOfText(200).optional(),
      }),
      examples: {
        everything: {},
        'of one account': { accountId: EXAMPLE_ACCOUNT_ID, reason: 'before the figures' },
      },
    },
    answers: {
      200: {
        description:
          'The present state of the closing that an equal request with this `Idempotency-Key` has begun',
        schema: flattenOneAnswer,
        examples: { 'all closed meanwhile': { flatten: DONE, requestId: EXAMPLE_REQUEST_ID } },
      },
      202: {
        description: 'It is stored for good, and goes on until everything is closed',
        schema: flattenOneAnswer,
        examples: { 'one position': { flatten: FLATTEN_EXAMPLE, requestId: EXAMPLE_REQUEST_ID } },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'GET /api/v1/positions/flatten': {
    tag: 'Positions',
    summary: 'List the last closings of everything',
    description: 'The newest first: requests, and what the calendar closed by a setting.',
    query: z.strictObject({ limit: wholeNumber(1, 50).default(10) }),
    answers: {
      200: {
        description: 'The latest ones of the caller',
        schema: flattenListAnswer,
        examples: { 'one that is done': { flattens: [DONE] } },
      },
    },
    errors: [],
  },
  'GET /api/v1/positions/flatten/:flattenId': {
    tag: 'Positions',
    summary: 'Get the progress of closing everything',
    description: 'With the outcome of each position.',
    path: { flattenId: idOf('FLATTEN_NOT_FOUND') },
    answers: {
      200: {
        description: 'The present state',
        schema: flattenOneAnswer,
        examples: { 'all closed': { flatten: DONE, requestId: EXAMPLE_REQUEST_ID } },
      },
    },
    errors: ['FLATTEN_NOT_FOUND'],
  },
})
