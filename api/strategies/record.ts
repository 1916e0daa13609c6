import type { KnownStrategy } from '#db/signals/strategies.ts'
import { winRate } from '#domain/performance.ts'
import { instantOut, numberOut } from '../http/presentation.ts'
import type { StrategyAnswer } from './answers.ts'

/** A strategy as its owner sees it. */
export const presentStrategy = ({ strategy, stats }: KnownStrategy): StrategyAnswer => ({
  id: strategy.id,
  name: strategy.name,
  description: strategy.description ?? null,
  status: strategy.status,
  defaultAccountId: strategy.defaultAccountId ?? null,
  metadata: strategy.metadata,
  createdAt: instantOut(strategy.createdAt),
  updatedAt: instantOut(strategy.updatedAt),
  archivedAt: instantOut(strategy.archivedAt),
  stats: {
    signals: stats.signals,
    trades: stats.trades,
    winRate: numberOut(winRate(stats.wins, stats.trades)),
    realisedPnl: numberOut(stats.realisedPnl),
  },
})
