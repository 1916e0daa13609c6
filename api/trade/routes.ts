import type { Trade } from '#db/entities/index.ts'
import {
  type TradeTotals,
  type ValuedTrade,
  findTrade,
  listOpenTrades,
  listTrades,
  sumTrades,
  TRADE_ORDER,
  tradeOrder,
} from '#db/position/trades.ts'
import { multiply } from '#domain/money/decimal.ts'
import { percentOfEntry, profit } from '#domain/money/profit.ts'
import { presentAs, toJsonNumber } from '../http/presentation.ts'
import {
  tradeAnswer,
  type OpenTradeAnswer,
  type TradeAnswer,
  tradeEndpoints,
} from '#contract/position/trades.ts'
import { scoped } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { listRoute, route } from '../route/route.ts'

export const presentTrade = (trade: Trade): TradeAnswer => presentAs(tradeAnswer, trade, {})

const presentTotals = ({ realisedPnl, fees, ...counts }: TradeTotals) => ({
  ...counts,
  realisedPnl: toJsonNumber(realisedPnl),
  fees: toJsonNumber(fees),
})

function presentOpenTrade({ trade, currentPrice }: ValuedTrade): OpenTradeAnswer {
  const entryValue = multiply(trade.quantity, trade.entryPrice)
  const unrealised =
    currentPrice &&
    profit(trade.side, { entryValue, exitValue: multiply(trade.quantity, currentPrice), fees: trade.fees })
  return {
    ...presentTrade(trade),
    currentPrice: toJsonNumber(currentPrice),
    unrealisedPnl: toJsonNumber(unrealised),
    unrealisedPnlPercent: toJsonNumber(unrealised && percentOfEntry(unrealised, entryValue)),
  }
}

export const tradeRoutes = [
  listRoute(tradeEndpoints['GET /api/v1/trades'], {
    access: scoped('trading:read'),
    list: { order: tradeOrder, rows: 'trades', present: presentTrade },
    run: ({ em, me, filter, page }) => listTrades(em, me.userId, filter, page),
  }),
  route(tradeEndpoints['GET /api/v1/trades/totals'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query }) => presentTotals(await sumTrades(em, me.userId, query)),
  }),
  route(tradeEndpoints['GET /api/v1/trades/:tradeId'], {
    access: scoped('trading:read'),
    run: async ({ em, me, path }) => {
      const trade = await findTrade(em, me.userId, path.tradeId)
      if (!trade) throw new ApiError('TRADE_NOT_FOUND')
      return { trade: presentTrade(trade) }
    },
  }),
  listRoute(tradeEndpoints['GET /api/v1/orders/open-trades'], {
    access: scoped('trading:read'),
    list: { order: TRADE_ORDER, rows: 'trades', present: presentOpenTrade },
    run: ({ em, me, filter, page }) => listOpenTrades(em, me.userId, filter, page),
  }),
]
