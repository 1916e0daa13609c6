import { scoped } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route } from '../route/route.ts'
import { describeBrokerType } from '#domain/broker-types.ts'
import { CALENDAR_REACH_DAYS } from '#domain/session.ts'
import { addDays, instantToLocal } from '#domain/wall-time.ts'
import { askBroker } from '../brokers/access.ts'
import { barsAnswer, quotesAnswer, sessionsAnswer } from './answers.ts'
import type { MarketData } from './market-data.ts'
import { presentBar, presentQuote } from './record.ts'
import { barsQuery, MAX_SYMBOLS, quotesQuery, sessionsQuery } from './schema.ts'
import { EXAMPLE_ACCOUNT_ID } from '../http/examples.ts'
import { listOwnConnections, type AccountConnection } from '#db/accounts/sync.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

/** The first account that was connected unless one is named. Throws {@link ApiError} ACCOUNT_NOT_FOUND, NO_MARKET_DATA_ACCOUNT. */
async function pricingConnection(
  { em, principal, beforeDatabaseDeadline }: Caller,
  accountId: string | undefined,
): Promise<AccountConnection> {
  const connections = await beforeDatabaseDeadline(listOwnConnections(em, principal.userId))
  const found =
    accountId === undefined ? connections[0] : connections.find((one) => one.accountId === accountId)
  if (!found) throw new ApiError(accountId === undefined ? 'NO_MARKET_DATA_ACCOUNT' : 'ACCOUNT_NOT_FOUND')
  return found
}

const MAX_BARS = 1_000

const MARKET_ERRORS = [
  'ACCOUNT_NOT_FOUND',
  'NO_MARKET_DATA_ACCOUNT',
  'BROKER_CREDENTIALS_INVALID',
  'BROKER_ERROR',
  'BROKER_SHARE_SPENT',
] as const

interface MarketDeps {
  market: MarketData
}

export const marketRoutes = [
  route({
    name: 'GET /api/v1/market/quotes',
    access: scoped('trading:read', { work: 'broker' }),
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
    run: async ({ caller, query: { symbols, accountId } }, { market }: MarketDeps) => {
      const connection = await pricingConnection(caller, accountId)
      const { quotes, asOf } = await market.quotes(connection, symbols)
      return { quotes: quotes.map(presentQuote), accountId: connection.accountId, asOf: toIsoInstant(asOf) }
    },
  }),
  route({
    name: 'GET /api/v1/market/sessions',
    access: scoped('trading:read', { work: 'broker' }),
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
    run: async ({ caller, query }, { market }: MarketDeps) => {
      const connection = await pricingConnection(caller, query.accountId)
      const { calendarZone: timezone } = describeBrokerType(connection.brokerType).capabilities
      const today = instantToLocal(new Date().toISOString(), timezone).date
      const sessions = await askBroker(() =>
        market.sessions(connection, addDays(today, -1), addDays(today, CALENDAR_REACH_DAYS - 1)),
      )
      return { accountId: connection.accountId, timezone, sessions }
    },
  }),
  route({
    name: 'GET /api/v1/market/bars',
    access: scoped('trading:read', { work: 'broker' }),
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
    run: async ({ caller, query }, { market }: MarketDeps) => {
      const { symbol, timeframe, from } = query
      const connection = await pricingConnection(caller, query.accountId)
      // Whole minutes, so that those who ask for a period up to now ask the same.
      const to = query.to ?? new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString()
      const period = { symbol, timeframe, from, to, limit: MAX_BARS }
      const { bars, isComplete } = await market.bars(connection, period)
      const { accountId } = connection
      return { symbol, timeframe, accountId, bars: bars.map(presentBar), isComplete }
    },
  }),
]
