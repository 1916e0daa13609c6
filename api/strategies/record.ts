import type { KnownStrategy } from '#db/signals/strategies.ts'
import { winRate } from '#domain/performance.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import type { StrategyAnswer } from '#contract/strategies/answers.ts'

export const presentStrategy = ({ strategy, stats }: KnownStrategy): StrategyAnswer => ({
  id: strategy.id,
  name: strategy.name,
  description: strategy.description ?? null,
  status: strategy.status,
  defaultAccountId: strategy.defaultAccountId ?? null,
  metadata: strategy.metadata,
  expects: strategy.expects ?? null,
  flatByClose: strategy.flatByClose ?? null,
  createdAt: toIsoInstant(strategy.createdAt),
  updatedAt: toIsoInstant(strategy.updatedAt),
  archivedAt: toIsoInstant(strategy.archivedAt),
  stats: {
    signals: stats.signals,
    trades: stats.trades,
    winRate: toJsonNumber(winRate(stats.wins, stats.trades)),
    realisedPnl: toJsonNumber(stats.realisedPnl),
  },
})
