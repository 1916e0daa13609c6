import type { PositionToday } from '#db/position/positions.ts'
import type { BalancePoint, PortfolioSummary } from '#db/account/dashboard.ts'
import type { ClosedTrade, PerformanceRecords } from '#db/position/performance-records.ts'
import { isPositive, subtract } from '#domain/money/decimal.ts'
import {
  percentOf,
  performanceOf,
  tradeFigures,
  profitFactor,
  ratio,
  sortinoRatio,
  winRate,
} from '#domain/account/performance.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { gainedToday } from '../position/present.ts'
import type { AccountPerformance, BalanceHistory, DashboardSummary } from '#contract/account/dashboard.ts'
import { EXIT_WAYS, type ExitWay } from '#domain/exit/look.ts'
import type {
  CurvePoint,
  ExitGroup,
  SenderExecution,
  TradeGroup,
  TradeStatistics,
} from '#db/position/statistics.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { HOLD_STEPS_SECONDS } from '#domain/position/hold-lengths.ts'
import type { TradeStatisticsAnswer } from '#contract/position/statistics.ts'

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

export function presentStatistics(
  { all, maxDrawdown, curve, groups }: TradeStatistics,
  senders: readonly SenderExecution[],
): Omit<TradeStatisticsAnswer, 'mode' | 'accountId' | 'period' | 'from' | 'to'> {
  return {
    all: presentFigures(all),
    maxDrawdown: toJsonNumber(maxDrawdown),
    sortino: sortinoOf(groups.day),
    curve: curve.map(presentPoint),
    days: groups.day.map(({ key, trades, wins, realisedPnl }) => ({
      date: key!,
      trades,
      wins,
      realisedPnl: toJsonNumber(realisedPnl),
    })),
    strategies: groups.strategy.map((group) => ({ key: group.key, ...presentFigures(group) })),
    symbols: groups.symbol.map((group) => ({ key: group.key!, ...presentFigures(group) })),
    hours: byNumber(groups.hour),
    weekdays: byNumber(groups.weekday),
    lengths: byNumber(groups.length).map((group) => ({
      ...group,
      key: HOLD_STEPS_SECONDS[group.key - 1] ?? 0,
    })),
    exits: EXIT_WAYS.flatMap((way) =>
      groups.exit.filter(({ key }) => key === way).map((group) => presentExits(way, group)),
    ),
    senders: [...senders],
  }
}

function presentFigures(group: TradeGroup): TradeStatisticsAnswer['all'] {
  const { trades, wins, losses, realisedPnl, won, lost, fees, best, worst, averageHold } = group
  return {
    trades,
    wins,
    losses,
    winRate: toJsonNumber(winRate(wins, trades)),
    realisedPnl: toJsonNumber(realisedPnl),
    expectancy: trades === 0 ? null : toJsonNumber(ratio(realisedPnl, `${trades}`)),
    profitFactor: toJsonNumber(profitFactor(won, lost)),
    fees: toJsonNumber(fees),
    bestTrade: toJsonNumber(best),
    worstTrade: toJsonNumber(worst),
    averageHoldSeconds: averageHold,
  }
}

const presentExits = (key: ExitWay, group: ExitGroup): TradeStatisticsAnswer['exits'][number] => ({
  key,
  ...presentFigures(group),
  exitFees: toJsonNumber(group.exitFees),
  slippage: toJsonNumber(group.slippage),
  compared: group.compared,
})

const byNumber = (groups: readonly TradeGroup[]) =>
  groups
    .map((group) => ({ key: Number(group.key), ...presentFigures(group) }))
    .toSorted((a, b) => a.key - b.key)

const presentPoint = ({ trade, at, total, fall }: CurvePoint): TradeStatisticsAnswer['curve'][number] => ({
  trade,
  at: new Date(at).toISOString(),
  total: toJsonNumber(total),
  drawdown: toJsonNumber(fall),
})

const [CALENDAR_FROM, CALENDAR_TO] = ['2020-01-01', '2035-12-31']

function sortinoOf(days: readonly TradeGroup[]): number | null {
  const [first, last] = [days[0]?.key, days.at(-1)?.key]
  if (first == null || last == null) return null
  return sortinoRatio(
    days.map(({ realisedPnl }) => Number(realisedPnl)),
    nyseSessions(first < CALENDAR_FROM ? CALENDAR_FROM : first, last > CALENDAR_TO ? CALENDAR_TO : last)
      .length,
  )
}
