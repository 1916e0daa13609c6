import { BAR_TIMEFRAMES } from '#domain/signal/list-choices.ts'
import { z } from 'zod'
import { utcInstant } from './values/instants.ts'
import { oneOf, symbol, uuid } from './values/values.ts'
import { endpoints } from './endpoint.ts'
import { EXAMPLE_ACCOUNT_ID } from './envelopes.ts'

const MAX_SYMBOLS = 50

export const symbolList = () =>
  z
    .string({ error: 'must be given once, several separated by commas' })
    .transform((text) => text.split(','))
    .pipe(z.array(symbol()).min(1).max(MAX_SYMBOLS, `must name at most ${MAX_SYMBOLS} symbols`))
    .transform((symbols) => [...new Set(symbols)])

const accountId = uuid().optional().describe('Whose broker is asked; the first account without it')

const quotesQuery = z.strictObject({
  symbols: symbolList().describe('Separated by commas'),
  accountId,
})

const sessionsQuery = z.strictObject({ accountId })

const barsQuery = z
  .strictObject({
    symbol: symbol(),
    timeframe: oneOf(BAR_TIMEFRAMES),
    from: utcInstant(),
    to: utcInstant().optional().describe('Now without it'),
    accountId,
  })
  .check(({ value: { from, to }, issues }) => {
    if (to !== undefined && from >= to)
      issues.push({ code: 'custom', path: ['to'], message: 'must be later than from', input: to })
  })

const price = () => z.number().nullable()

export const quoteAnswer = z
  .strictObject({
    symbol: z.string(),
    bid: price(),
    ask: price(),
    last: price().describe('The last trade'),
    at: z.iso.datetime().nullable().describe('When the last trade was'),
    previousClose: price().describe('Of the session before'),
    dayChange: price().describe('Dollars a share from the previous close to the last trade'),
    dayChangePercent: z.number().nullable(),
  })
  .meta({ id: 'Quote' })

const quotesAnswer = z.strictObject({
  quotes: z.array(quoteAnswer).describe('Symbols that the broker does not know are absent'),
  accountId: z.uuid().describe('Whose broker was asked'),
  asOf: z.iso.datetime().describe('When the broker was asked'),
})

const barAnswer = z.strictObject({
  at: z.iso.datetime().describe('Where it begins'),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number().describe('Shares'),
})

const barsAnswer = z.strictObject({
  symbol: z.string(),
  timeframe: z.enum(BAR_TIMEFRAMES),
  accountId: z.uuid().describe('Whose broker was asked'),
  bars: z.array(barAnswer).describe('Oldest first'),
  isComplete: z.boolean().describe('False when the period has older ones that are not shown'),
})

const sessionsAnswer = z.strictObject({
  accountId: z.uuid().describe('Whose broker was asked'),
  timezone: z.string().describe('Of the dates; an IANA name'),
  sessions: z
    .array(z.strictObject({ date: z.iso.date(), opensAt: z.iso.datetime(), closesAt: z.iso.datetime() }))
    .describe('Of yesterday, today and two weeks ahead, in order; days without a session are absent'),
})

export type QuoteAnswer = z.output<typeof quoteAnswer>
export type BarAnswer = z.output<typeof barAnswer>

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
    summary: 'Get the present bid and ask of symbols',
    description: `At most ${MAX_SYMBOLS} symbols, as the broker of the account reports them. The service asks the broker at most once a second, for all callers together.`,
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
    summary: 'Get the opening and closing times of the market',
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
    summary: 'Get the bars of a symbol in a period',
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
