import { findOwnAccount } from '#db/account/accounts.ts'
import { listPositionsToday } from '#db/position/positions.ts'
import { listBalances, summarisePortfolio } from '#db/account/dashboard.ts'
import { listEquityToday } from '#db/account/equity-points.ts'
import { readPerformanceRecords } from '#db/position/performance-records.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { periodBase, type PerformancePeriod } from '#domain/account/performance-period.ts'
import { instantToLocal, addDays } from '#domain/time/wall-time.ts'
import { scoped } from '../access/policy.ts'
import { toJsonNumber } from '../http/presentation.ts'
import { ApiError } from '#contract/errors.ts'
import { route } from '../route/route.ts'
import { presentBalancePoint, presentPerformance, presentSummary, presentStatistics } from './present.ts'
import { dashboardEndpoints } from '#contract/account/dashboard.ts'
import { readSenderExecution, readTradeStatistics } from '#db/position/statistics.ts'
import { statisticsEndpoints } from '#contract/position/statistics.ts'

export const dashboardRoutes = [
  route(dashboardEndpoints['GET /api/v1/dashboard/summary'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId, tradingMode } }) => {
      const summary = await summarisePortfolio(em, userId, tradingMode)
      return presentSummary(summary, await listPositionsToday(em, userId, {}), tradingMode)
    },
  }),
  route(dashboardEndpoints['GET /api/v1/dashboard/balance-history'], {
    access: scoped('trading:read'),
    run: async ({ em, me, query: { accountId = null, from = null, to = null } }) => {
      const { userId, tradingMode: mode } = me
      if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
        throw new ApiError('ACCOUNT_NOT_FOUND')
      const which = accountId === null ? { mode } : { accountId }
      const balances = await listBalances(em, userId, which, { from, to })
      return { accountId, mode, points: balances.map(presentBalancePoint) }
    },
  }),
  route(dashboardEndpoints['GET /api/v1/dashboard/equity-today'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId, tradingMode: mode }, query: { accountId = null } }) => {
      if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
        throw new ApiError('ACCOUNT_NOT_FOUND')
      const { dayStartEquity, points } = await listEquityToday(
        em,
        userId,
        accountId === null ? { mode } : { accountId },
      )
      return {
        accountId,
        mode,
        dayStartEquity: toJsonNumber(dayStartEquity),
        points: points.map(({ at, equity }) => ({
          at: new Date(at).toISOString(),
          equity: toJsonNumber(equity),
        })),
      }
    },
  }),
  route(dashboardEndpoints['GET /api/v1/dashboard/account-performance'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId, tradingMode: mode }, query: { period } }) => {
      const to = instantToLocal(new Date().toISOString(), NYSE_ZONE).date
      const from = periodBase(period, to)
      const records = await readPerformanceRecords(em, userId, mode, from)
      return { period, from, to, mode, accounts: records.map(presentPerformance) }
    },
  }),
]

export const statisticsRoutes = [
  route(statisticsEndpoints['GET /api/v1/dashboard/trade-statistics'], {
    access: scoped('trading:read'),
    run: async ({ em, me: { userId, tradingMode: mode }, query }) => {
      const { accountId = null, period, strategyId, symbol } = query
      if (accountId !== null && !(await findOwnAccount(em, userId, accountId)))
        throw new ApiError('ACCOUNT_NOT_FOUND')
      const from = period === undefined ? (query.from ?? null) : firstDayOf(period)
      const to = query.to ?? null
      const accounts = accountId === null ? { mode } : { accountId }
      const filter = { accounts, strategyId, symbol, from, to }
      const statistics = await readTradeStatistics(em, userId, filter)
      const senders = await readSenderExecution(em, userId, filter)
      return { mode, accountId, period: period ?? null, from, to, ...presentStatistics(statistics, senders) }
    },
  }),
]

function firstDayOf(period: PerformancePeriod): string | null {
  const base = periodBase(period, instantToLocal(new Date().toISOString(), NYSE_ZONE).date)
  return base === null ? null : addDays(base, 1)
}
