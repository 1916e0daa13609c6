import type { Trade } from '#db/entities/index.ts'
import type { TradeTotals, ValuedTrade } from '#db/trades/trades.ts'
import { multiply } from '#domain/decimal.ts'
import { percentOfEntry, profit } from '#domain/profit.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import type { OpenTradeAnswer, TradeAnswer } from '#contract/trades/answers.ts'

export const presentTrade = (trade: Trade): TradeAnswer => ({
  id: trade.id,
  accountId: trade.accountId,
  symbol: trade.symbol,
  side: trade.side,
  status: trade.status,
  quantity: toJsonNumber(trade.quantity),
  entryPrice: toJsonNumber(trade.entryPrice),
  exitPrice: toJsonNumber(trade.exitPrice),
  entryAt: toIsoInstant(trade.entryAt),
  exitAt: toIsoInstant(trade.exitAt),
  realisedPnl: toJsonNumber(trade.realisedPnl),
  realisedPnlPercent: toJsonNumber(trade.realisedPnlPercent),
  fees: toJsonNumber(trade.fees),
  strategyId: trade.strategyId ?? null,
  signalId: trade.signalId ?? null,
  entryOrderIds: trade.entryOrderIds,
  exitOrderIds: trade.exitOrderIds,
})

export const presentTotals = ({ realisedPnl, fees, ...counts }: TradeTotals) => ({
  ...counts,
  realisedPnl: toJsonNumber(realisedPnl),
  fees: toJsonNumber(fees),
})

export function presentOpenTrade({ trade, currentPrice }: ValuedTrade): OpenTradeAnswer {
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
