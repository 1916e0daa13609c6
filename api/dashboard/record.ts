import type { PositionToday } from '#db/accounts/positions.ts'
import type { BalancePoint, PortfolioSummary } from '#db/accounts/dashboard.ts'
import type { ClosedTrade, PerformanceRecords } from '#db/trades/performance-records.ts'
import { isPositive, subtract } from '#domain/decimal.ts'
import { percentOf, performanceOf, tradeFigures } from '#domain/performance.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { gainedToday } from '../positions/record.ts'
import type { AccountPerformance, BalanceHistory, DashboardSummary } from '#contract/dashboard/answers.ts'

export function presentSummary(
  { equityToday, dayStartEquity, asOf, ...summary }: PortfolioSummary,
  positions: readonly PositionToday[],
  mode: DashboardSummary['mode'],
): DashboardSummary {
  const dayPnl =
    equityToday === null || dayStartEquity === null ? null : subtract(equityToday, dayStartEquity)
  return {
    equity: toJsonNumber(summary.equity),
    cashBalance: toJsonNumber(summary.cashBalance),
    buyingPower: toJsonNumber(summary.buyingPower),
    marketValue: toJsonNumber(summary.marketValue),
    dayPnl: toJsonNumber(dayPnl),
    dayPnlPercent:
      dayPnl === null || dayStartEquity === null || !isPositive(dayStartEquity)
        ? null
        : toJsonNumber(percentOf(dayPnl, dayStartEquity)),
    unrealisedPnl: toJsonNumber(summary.unrealisedPnl),
    realisedPnl: toJsonNumber(summary.realisedPnl),
    realisedToday: toJsonNumber(summary.realisedToday),
    wholeToday: summary.wholeToday,
    openToday: toJsonNumber(
      gainedToday(positions.filter(({ position }) => summary.accountIds.includes(position.accountId))),
    ),
    accounts: summary.accounts,
    openPositions: summary.openPositions,
    openOrders: summary.openOrders,
    pendingSignals: summary.pendingSignals,
    scheduledSignals: summary.scheduledSignals,
    executedToday: summary.executedToday,
    refusedToday: summary.refusedToday,
    mode,
    asOf: toIsoInstant(asOf),
  }
}

export const presentBalancePoint = (point: BalancePoint): BalanceHistory['points'][number] => ({
  date: point.date,
  equity: toJsonNumber(point.equity),
  cashBalance: toJsonNumber(point.cashBalance),
  carriedForward: point.carriedForward,
})

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
    returnPercent: toJsonNumber(returnPercent),
    realisedPnl: toJsonNumber(figures.realisedPnl),
    maxDrawdownPercent: toJsonNumber(maxDrawdownPercent),
    sharpe,
    trades: figures.trades,
    winRate: toJsonNumber(figures.winRate),
    profitFactor: toJsonNumber(figures.profitFactor),
    bestTrade: figures.best && presentTrade(figures.best),
    worstTrade: figures.worst && presentTrade(figures.worst),
  }
}

const presentTrade = ({ id, symbol, side, realisedPnl, exitAt }: ClosedTrade) => ({
  tradeId: id,
  symbol,
  side,
  realisedPnl: toJsonNumber(realisedPnl),
  exitAt,
})
