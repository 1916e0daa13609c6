import { findTrade, listOpenTrades, listTrades, TRADE_ORDER } from '#db/trades/trades.ts'
import { principalOf } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { presentPaging, readListQuery } from '../http/paging.ts'
import { isId } from '../http/validation/query.ts'
import { presentOpenTrade, presentTrade } from './record.ts'
import { openTradeListQuery, tradeListQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of trades. */
export function tradeRoutes(): RouteList {
  const routes = new RouteList('/api/v1/trades')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, tradeListQuery, TRADE_ORDER)
    const list = listTrades(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    const trades = slice.items.map(presentTrade)
    ctx.body = standardSuccess({ trades, ...presentPaging(slice, page) }, ctx.state.requestId)
  })

  routes.get('/:tradeId', async (ctx) => {
    const { tradeId } = ctx.params
    const trade = isId(tradeId)
      ? await beforeDatabaseDeadline(ctx, findTrade(ctx.state.em, principalOf(ctx).userId, tradeId))
      : null
    if (!trade) throw new ApiError('TRADE_NOT_FOUND')
    ctx.body = standardSuccess({ trade: presentTrade(trade) }, ctx.state.requestId)
  })

  return routes
}

/** Open trades, listed among the orders. To be mounted before what takes the end of the address for an order's id. */
export function openTradeRoutes(): RouteList {
  const routes = new RouteList('/api/v1/orders/open-trades')

  routes.get('', async (ctx) => {
    const { filter, page } = readListQuery(ctx, openTradeListQuery, TRADE_ORDER)
    const list = listOpenTrades(ctx.state.em, principalOf(ctx).userId, filter, page)
    const slice = await beforeDatabaseDeadline(ctx, list)
    ctx.body = { trades: slice.items.map(presentOpenTrade), ...presentPaging(slice, page) }
  })

  return routes
}
