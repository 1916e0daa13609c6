import { standardSuccess } from '../http/envelopes.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { RouteList } from '../http/route-list.ts'
import { readQuery } from '../http/validation/query.ts'
import { pricingConnection } from './connection.ts'
import type { MarketData } from './market-data.ts'
import { presentBar, presentQuote } from './record.ts'
import { barsQuery, quotesQuery } from './schema.ts'

/** Bars that one answer holds at most. */
const MAX_BARS = 1_000

/** Prices as brokers tell them. */
export function marketRoutes(market: MarketData): RouteList {
  const routes = new RouteList('/api/v1/market')

  routes.get('/quotes', async (ctx) => {
    const { symbols, accountId } = readQuery(ctx, quotesQuery)
    const connection = await pricingConnection(ctx, accountId)
    const { quotes, asOf } = await market.quotes(connection, symbols)
    const data = {
      quotes: quotes.map(presentQuote),
      accountId: connection.accountId,
      asOf: toIsoInstant(asOf),
    }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.get('/bars', async (ctx) => {
    const { symbol, timeframe, from, to, accountId } = readQuery(ctx, barsQuery)
    const connection = await pricingConnection(ctx, accountId)
    // Whole minutes, so that those who ask for a period up to now ask the same.
    const end = to ?? new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString()
    const query = { symbol, timeframe, from, to: end, limit: MAX_BARS }
    const { bars, isComplete } = await market.bars(connection, query)
    const { accountId: asked } = connection
    const data = { symbol, timeframe, accountId: asked, bars: bars.map(presentBar), isComplete }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return routes
}
