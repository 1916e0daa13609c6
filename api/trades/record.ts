import type { Trade } from '#db/entities/index.ts'
import type { ValuedTrade } from '#db/trades/trades.ts'
import { multiply } from '#domain/decimal.ts'
import { percentOfEntry, profit } from '#domain/profit.ts'
import { instantOut, numberOut } from '../http/presentation.ts'
import type { OpenTradeAnswer, TradeAnswer } from './answers.ts'

/** A trade as its owner sees it. */
export const presentTrade = (trade: Trade): TradeAnswer => ({
  id: trade.id,
  accountId: trade.accountId,
  symbol: trade.symbol,
  side: trade.side,
  status: trade.status,
  quantity: numberOut(trade.quantity),
  entryPrice: numberOut(trade.entryPrice),
  exitPrice: numberOut(trade.exitPrice),
  entryAt: instantOut(trade.entryAt),
  exitAt: instantOut(trade.exitAt),
  realisedPnl: numberOut(trade.realisedPnl),
  realisedPnlPercent: numberOut(trade.realisedPnlPercent),
  fees: numberOut(trade.fees),
  strategyId: trade.strategyId ?? null,
  signalId: trade.signalId ?? null,
  entryOrderIds: trade.entryOrderIds,
  exitOrderIds: trade.exitOrderIds,
})

/** An open trade and what it is worth at the current price. */
export function presentOpenTrade({ trade, currentPrice }: ValuedTrade): OpenTradeAnswer {
  const entryValue = multiply(trade.quantity, trade.entryPrice)
  const unrealised =
    currentPrice &&
    profit(trade.side, { entryValue, exitValue: multiply(trade.quantity, currentPrice), fees: trade.fees })
  return {
    ...presentTrade(trade),
    currentPrice: numberOut(currentPrice),
    unrealisedPnl: numberOut(unrealised),
    unrealisedPnlPercent: numberOut(unrealised && percentOfEntry(unrealised, entryValue)),
  }
}
