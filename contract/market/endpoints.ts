import { endpoints } from '../endpoint.ts'
import { barsAnswer, quotesAnswer, sessionsAnswer } from './answers.ts'
import { barsQuery, MAX_SYMBOLS, quotesQuery, sessionsQuery } from './schema.ts'
import { EXAMPLE_ACCOUNT_ID } from '../examples.ts'

const MARKET_ERRORS = [
  'ACCOUNT_NOT_FOUND',
  'NO_MARKET_DATA_ACCOUNT',
  'BROKER_CREDENTIALS_INVALID',
  'BROKER_ERROR',
  'BROKER_SHARE_SPENT',
] as const

export const marketEndpoints = endpoints({
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
          'one symbol': {
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
            accountId: EXAMPLE_ACCOUNT_ID,
            asOf: '2026-03-02T15:00:05.000Z',
          },
        },
      },
    },
    errors: MARKET_ERRORS,
  },
  'GET /api/v1/market/sessions': {
    tag: 'Assets',
    summary: 'Show when the market opens and closes',
    description:
      'The regular sessions by the calendar of the account’s broker, early closes and holidays included. The broker is asked at most once an hour.',
    query: sessionsQuery,
    answers: {
      200: {
        description: 'Sessions, in order',
        schema: sessionsAnswer,
        examples: {
          'the day after Thanksgiving': {
            accountId: EXAMPLE_ACCOUNT_ID,
            timezone: 'America/New_York',
            sessions: [
              {
                date: '2026-11-27',
                opensAt: '2026-11-27T14:30:00.000Z',
                closesAt: '2026-11-27T18:00:00.000Z',
              },
            ],
          },
        },
      },
    },
    errors: MARKET_ERRORS,
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
          'one minute': {
            symbol: 'AAPL',
            timeframe: '1m',
            accountId: EXAMPLE_ACCOUNT_ID,
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
          },
        },
      },
    },
    errors: MARKET_ERRORS,
  },
})
