import type { BalancePoint, PortfolioSummary } from '#db/accounts/dashboard.ts'
import type { ClosedTrade, PerformanceRecords } from '#db/trades/performance-records.ts'
import { isPositive, subtract } from '#domain/decimal.ts'
import { percentOf, performanceOf, tradeFigures } from '#domain/performance.ts'
import { instantOut, numberOut } from '../http/presentation.ts'
import type { AccountPerformance, BalanceHistory, DashboardSummary } from './answers.ts'

/** The summary of a portfolio, with what the day has brought so far. */
export function presentSummary(
  { equityToday, dayStartEquity, asOf, ...summary }: PortfolioSummary,
  mode: DashboardSummary['mode'],
): DashboardSummary {
  const dayPnl =
    equityToday === null || dayStartEquity === null ? null : subtract(equityToday, dayStartEquity)
  return {
    equity: numberOut(summary.equity),
    cashBalance: numberOut(summary.cashBalance),
    buyingPower: numberOut(summary.buyingPower),
    marketValue: numberOut(summary.marketValue),
    dayPnl: numberOut(dayPnl),
    dayPnlPercent:
      dayPnl === null || dayStartEquity === null || !isPositive(dayStartEquity)
        ? null
        : numberOut(percentOf(dayPnl, dayStartEquity)),
    unrealisedPnl: numberOut(summary.unrealisedPnl),
    realisedPnl: numberOut(summary.realisedPnl),
    accounts: summary.accounts,
    openPositions: summary.openPositions,
    openOrders: summary.openOrders,
    pendingSignals: summary.pendingSignals,
    scheduledSignals: summary.scheduledSignals,
    mode,
    asOf: instantOut(asOf),
  }
}

export const presentBalancePoint = (point: BalancePoint): BalanceHistory['points'][number] => ({
  date: point.date,
  equity: numberOut(point.equity),
  cashBalance: numberOut(point.cashBalance),
  carriedForward: point.carriedForward,
})

/** How an account has done in the period that its records are of. */
export function presentPerformance({
  accountId,
  name,
  days,
  trades,
}: PerformanceRecords): AccountPerformance['accounts'][number] {
  const { returnPercent, maxDrawdownPercent, sharpe } = performanceOf(days)
  const figures = tradeFigures(trades)
  return {
    accountId,
    name,
    firstDay: days[0]?.date ?? null,
    lastDay: days.at(-1)?.date ?? null,
    returnPercent: numberOut(returnPercent),
    realisedPnl: numberOut(figures.realisedPnl),
    maxDrawdownPercent: numberOut(maxDrawdownPercent),
    sharpe,
    trades: figures.trades,
    winRate: numberOut(figures.winRate),
    profitFactor: numberOut(figures.profitFactor),
    bestTrade: figures.best && presentTrade(figures.best),
    worstTrade: figures.worst && presentTrade(figures.worst),
  }
}

const presentTrade = ({ id, symbol, side, realisedPnl, exitAt }: ClosedTrade) => ({
  tradeId: id,
  symbol,
  side,
  realisedPnl: numberOut(realisedPnl),
  exitAt,
})
