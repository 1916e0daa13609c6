import { exampleAnswer } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { barsAnswer, quotesAnswer } from './answers.ts'
import { barsQuery, MAX_SYMBOLS, quotesQuery } from './schema.ts'

const ACCOUNT = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
const ERRORS = [
  'ACCOUNT_NOT_FOUND',
  'NO_MARKET_DATA_ACCOUNT',
  'BROKER_CREDENTIALS_INVALID',
  'BROKER_ERROR',
  'BROKER_SHARE_SPENT',
] as const

/** The routes of prices, for the description of the API. */
export const marketOperations: Operations = {
  'GET /api/v1/market/quotes': {
    tag: 'Assets',
    summary: 'Show what the market pays and asks for symbols now',
    description: `At most ${MAX_SYMBOLS} symbols, as the broker of the account tells them. The broker is asked at most once a second, whoever asks.`,
    query: quotesQuery,
    answers: {
      200: {
        description: 'Prices in dollars a share',
        schema: quotesAnswer,
        examples: {
          'one symbol': exampleAnswer({
            quotes: [
              {
                symbol: 'AAPL',
                bid: 187.4,
                ask: 187.44,
                last: 187.42,
                at: '2026-03-02T15:00:04.120Z',
                previousClose: 186.1,
                dayChange: 1.32,
                dayChangePercent: 0.71,
              },
            ],
            accountId: ACCOUNT,
            asOf: '2026-03-02T15:00:05.000Z',
          }),
        },
      },
    },
    errors: ERRORS,
  },
  'GET /api/v1/market/bars': {
    tag: 'Assets',
    summary: 'Show how a symbol has traded in a period',
    description:
      'At most 1,000 bars, the newest of the period. Prices before a split are as they would be after it, where the broker says so.',
    query: barsQuery,
    answers: {
      200: {
        description: 'Bars, oldest first',
        schema: barsAnswer,
        examples: {
          'one minute': exampleAnswer({
            symbol: 'AAPL',
            timeframe: '1m',
            accountId: ACCOUNT,
            bars: [
              {
                at: '2026-03-02T15:00:00.000Z',
                open: 187.4,
                high: 187.52,
                low: 187.38,
                close: 187.42,
                volume: 41_200,
              },
            ],
            isComplete: true,
          }),
        },
      },
    },
    errors: ERRORS,
  },
}
