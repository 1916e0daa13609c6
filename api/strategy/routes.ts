import { type KnownStrategy, findStrategy, listStrategies, STRATEGY_ORDER } from '#db/signal/strategies.ts'
import { winRate } from '#domain/account/performance.ts'
import { presentAs, toJsonNumber } from '../http/presentation.ts'
import { strategyAnswer, type StrategyAnswer, strategyEndpoints } from '#contract/signal/strategies.ts'
import { inPerson, scoped } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { listRoute, route } from '../route/route.ts'
import { createStrategy, deleteStrategy, editStrategy } from './commands.ts'

const presentStrategy = ({ strategy, stats }: KnownStrategy): StrategyAnswer =>
  presentAs(strategyAnswer, strategy, {
    stats: {
      signals: stats.signals,
      trades: stats.trades,
      winRate: toJsonNumber(winRate(stats.wins, stats.trades)),
      realisedPnl: toJsonNumber(stats.realisedPnl),
    },
  })

export const strategyRoutes = [
  listRoute(strategyEndpoints['GET /api/v1/strategies'], {
    access: scoped('trading:read'),
    list: { order: STRATEGY_ORDER, rows: 'strategies', present: presentStrategy },
    run: ({ em, me, filter: { archived: isArchived, status }, page }) =>
      listStrategies(em, me.userId, me.tradingMode, { status, isArchived }, page),
  }),
  route(strategyEndpoints['POST /api/v1/strategies'], {
    access: inPerson(),
    run: async ({ caller, body }) => ownStrategy(caller, await createStrategy(caller, body)),
  }),
  route(strategyEndpoints['GET /api/v1/strategies/:strategyId'], {
    access: scoped('trading:read'),
    run: ({ caller, path }) => ownStrategy(caller, path.strategyId),
  }),
  route(strategyEndpoints['PATCH /api/v1/strategies/:strategyId'], {
    access: inPerson(),
    run: async ({ caller, path: { strategyId }, body }) => {
      await editStrategy(caller, strategyId, body)
      return ownStrategy(caller, strategyId)
    },
  }),
  route(strategyEndpoints['DELETE /api/v1/strategies/:strategyId'], {
    access: inPerson(),
    run: async ({ caller, path: { strategyId } }) => {
      await deleteStrategy(caller, strategyId)
      return { message: 'The strategy is deleted', strategyId }
    },
  }),
]

async function ownStrategy({ em, principal }: Caller, id: string): Promise<StrategyAnswer> {
  const known = await findStrategy(em, principal.userId, principal.tradingMode, id)
  if (!known) throw new ApiError('STRATEGY_NOT_FOUND')
  return presentStrategy(known)
}
