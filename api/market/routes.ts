import type { Bar, Quote } from '#brokers/port.ts'
import { isPositive, round, subtract } from '#domain/money/decimal.ts'
import { percentOf } from '#domain/account/performance.ts'
import { toJsonNumber, toIsoInstant } from '../http/presentation.ts'
import { type BarAnswer, type QuoteAnswer, marketEndpoints } from '#contract/market.ts'
import { scoped } from '../access/policy.ts'
import { route } from '../route/route.ts'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import { CALENDAR_REACH_DAYS } from '#domain/time/session.ts'
import { addDays, instantToLocal } from '#domain/time/wall-time.ts'
import { askBroker } from '../broker/asked.ts'
import type { MarketData } from './market-data.ts'
import { listOwnConnections, type AccountConnection } from '#db/account/sync.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

export function presentQuote({ symbol, bid, ask, last, at, previousClose }: Quote): QuoteAnswer {
  const change = last === null || previousClose === null ? null : subtract(last, previousClose)
  const isMeasurable = change !== null && previousClose !== null && isPositive(previousClose)
  return {
    symbol,
    bid: toJsonNumber(bid),
    ask: toJsonNumber(ask),
    last: toJsonNumber(last),
    at,
    previousClose: toJsonNumber(previousClose),
    dayChange: toJsonNumber(change),
    dayChangePercent: isMeasurable ? toJsonNumber(round(percentOf(change, previousClose), 2)) : null,
  }
}

const presentBar = (bar: Bar): BarAnswer => ({
  at: bar.at,
  open: toJsonNumber(bar.open),
  high: toJsonNumber(bar.high),
  low: toJsonNumber(bar.low),
  close: toJsonNumber(bar.close),
  volume: toJsonNumber(bar.volume),
})

/** The first connected account unless named. Throws ACCOUNT_NOT_FOUND, NO_MARKET_DATA_ACCOUNT. */
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

interface MarketDeps {
  market: MarketData
}

export const marketRoutes = [
  route(marketEndpoints['GET /api/v1/market/quotes'], {
    access: scoped('trading:read', { work: 'broker' }),
    run: async ({ caller, query: { symbols, accountId } }, { market }: MarketDeps) => {
      const connection = await pricingConnection(caller, accountId)
      const { quotes, asOf } = await market.quotes(connection, symbols)
      return { quotes: quotes.map(presentQuote), accountId: connection.accountId, asOf: toIsoInstant(asOf) }
    },
  }),
  route(marketEndpoints['GET /api/v1/market/sessions'], {
    access: scoped('trading:read', { work: 'broker' }),
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
  route(marketEndpoints['GET /api/v1/market/bars'], {
    access: scoped('trading:read', { work: 'broker' }),
    run: async ({ caller, query }, { market }: MarketDeps) => {
      const { symbol, timeframe, from } = query
      const connection = await pricingConnection(caller, query.accountId)
      // Whole minutes let callers share an answer.
      const to = query.to ?? new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString()
      const period = { symbol, timeframe, from, to, limit: MAX_BARS }
      const { bars, isComplete } = await market.bars(connection, period)
      const { accountId } = connection
      return { symbol, timeframe, accountId, bars: bars.map(presentBar), isComplete }
    },
  }),
]
