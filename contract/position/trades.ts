import { TRADE_SIDES } from '#domain/money/profit.ts'
import { TRADE_STATUSES } from '#domain/position/round-trips.ts'
import { z } from 'zod'
import { TRADE_SORTS } from '#domain/signal/list-choices.ts'
import { localDate } from '../values/instants.ts'
import { paging, period, checkPeriod, pagingAnswer } from '../values/query.ts'
import { oneOf, symbol, symbols, uuid } from '../values/values.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { examplePaging } from '../envelopes.ts'

/** `period` concerns the entry, days the closing. */
const tradeFilter = {
  accountId: uuid().optional(),
  symbol: symbols().optional(),
  status: oneOf(TRADE_STATUSES).optional(),
  side: oneOf(TRADE_SIDES).optional(),
  strategyId: uuid().optional(),
  signalId: uuid().optional(),
  closedFrom: localDate().optional(),
  closedTo: localDate().optional(),
  ...period,
}

const tradeListQuery = z
  .strictObject({
    ...tradeFilter,
    sort: oneOf(TRADE_SORTS).default('entryAt'),
    direction: oneOf(['desc', 'asc'] as const).default('desc'),
    ...paging,
  })
  .check(checkPeriod)

const tradeTotalsQuery = z.strictObject(tradeFilter).check(checkPeriod)

const openTradeListQuery = z.strictObject({
  accountId: uuid().optional(),
  symbol: symbol().optional(),
  ...paging,
})

export const tradeAnswer = z
  .strictObject({
    id: z.uuid().describe('Stays the same when the trade is closed'),
    accountId: z.uuid(),
    symbol: z.string(),
    side: z.enum(TRADE_SIDES).describe('LONG was bought first, SHORT was sold first'),
    status: z.enum(TRADE_STATUSES),
    quantity: z.number().describe('Shares'),
    entryPrice: z.number().describe('Dollars a share, on average'),
    exitPrice: z.number().nullable().describe('Null while open'),
    entryAt: z.iso.datetime().describe('When the first of its shares was opened'),
    exitAt: z.iso.datetime().nullable().describe('When the last of its shares was closed; null while open'),
    realisedPnl: z.number().nullable().describe('After fees; null while open'),
    realisedPnlPercent: z
      .number()
      .nullable()
      .describe('Of what the entry was worth; null while open, and where it was worth nothing'),
    fees: z.number().describe('Paid so far for its part of all fills; a broker may book some a day later'),
    strategyId: z.uuid().nullable(),
    signalId: z.uuid().nullable().describe('The signal whose shares these are; null for shares of none'),
    entryOrderIds: z.array(z.uuid()).describe('Empty where the order was not placed through this service'),
    exitOrderIds: z.array(z.uuid()),
  })
  .meta({ id: 'Trade' })

const openTradeAnswer = z
  .strictObject({
    ...tradeAnswer.shape,
    currentPrice: z
      .number()
      .nullable()
      .describe('Dollars a share; null when the broker has reported none yet'),
    unrealisedPnl: z
      .number()
      .nullable()
      .describe('What closing it at the current price would bring, after the fees paid so far'),
    unrealisedPnlPercent: z.number().nullable(),
  })
  .meta({ id: 'OpenTrade' })

export const tradeListAnswer = z.strictObject({ trades: z.array(tradeAnswer), ...pagingAnswer })
export const tradeTotalsAnswer = z.strictObject({
  trades: z.int(),
  open: z.int().describe('Trades that are not closed yet'),
  wins: z.int().describe('Closed trades with a profit'),
  realisedPnl: z.number().describe('Dollars, after fees, of the closed ones'),
  fees: z.number().describe('Dollars, of all of them so far'),
})
export const tradeDetailAnswer = z.strictObject({ trade: tradeAnswer })
export const openTradeListAnswer = z.strictObject({ trades: z.array(openTradeAnswer), ...pagingAnswer })

export type TradeAnswer = z.output<typeof tradeAnswer>
export type OpenTradeAnswer = z.output<typeof openTradeAnswer>

const TRADE_EXAMPLE: TradeAnswer = {
  id: '5d6e7f80-91a2-4b3c-8d4e-5f60718293a4',
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  symbol: 'AAPL',
  side: 'LONG',
  status: 'CLOSED',
  quantity: 26,
  entryPrice: 187.48,
  exitPrice: 188.1,
  entryAt: '2026-03-02T15:04:05.210Z',
  exitAt: '2026-03-02T20:45:01.087Z',
  realisedPnl: 16.11,
  realisedPnlPercent: 0.330496,
  fees: 0.01,
  strategyId: null,
  signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
  entryOrderIds: ['9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'],
  exitOrderIds: ['0c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f'],
}

const OPEN: OpenTradeAnswer = {
  ...TRADE_EXAMPLE,
  status: 'OPEN',
  exitPrice: null,
  exitAt: null,
  realisedPnl: null,
  realisedPnlPercent: null,
  fees: 0,
  exitOrderIds: [],
  currentPrice: 188.1,
  unrealisedPnl: 16.12,
  unrealisedPnlPercent: 0.330701,
}

const WHAT = `A trade is what one order opened, as far as one other order has closed it; what is left is an open trade. Which
shares an order closes is decided by their owners: an exit closes those of its own signal, and among the shares of one owner
the first in are the first out. Everything that was executed in the account counts, also what was
traded elsewhere than through this service; shares that were held before the account was connected count from then on, at
what the broker says they cost. Trades show within seconds of their fills.`

const PERIODS =
  '`from` and `to` bound the instant of the entry; `closedFrom` and `closedTo` are the days of the exchange on which trades were closed, both included.'

export const tradeEndpoints = endpoints({
  'GET /api/v1/trades': {
    tag: 'Trades',
    summary: 'List trades, the one entered last first',
    description: `${WHAT}\n\n${PERIODS} Sorted by anything but \`entryAt\` and \`symbol\`, open trades are left out.`,
    query: tradeListQuery,
    answers: {
      200: {
        description: 'Trades of the caller that fit the filter',
        schema: tradeListAnswer,
        examples: { 'bought and sold': { trades: [TRADE_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/trades/totals': {
    tag: 'Trades',
    summary: 'Add up the trades that fit a filter',
    description: PERIODS,
    query: tradeTotalsQuery,
    answers: {
      200: {
        description: 'Their number, result and fees',
        schema: tradeTotalsAnswer,
        examples: { 'a day': { trades: 12, open: 1, wins: 7, realisedPnl: 221.45, fees: 0.12 } },
      },
    },
    errors: [],
  },
  'GET /api/v1/trades/:tradeId': {
    tag: 'Trades',
    summary: 'Get a trade',
    description: WHAT,
    path: { tradeId: idOf('TRADE_NOT_FOUND') },
    answers: {
      200: {
        description: 'The trade',
        schema: tradeDetailAnswer,
        examples: { 'bought and sold': { trade: TRADE_EXAMPLE } },
      },
    },
    errors: ['TRADE_NOT_FOUND'],
  },
  'GET /api/v1/orders/open-trades': {
    tag: 'Trades',
    summary: 'List open trades at current prices, the one entered last first',
    description: `${WHAT}\n\nPrices are those of the last sync of the account.`,
    query: openTradeListQuery,
    answers: {
      200: {
        description: 'Open trades of the caller that fit the filter',
        schema: openTradeListAnswer,
        examples: { 'one open trade': { trades: [OPEN], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
})
