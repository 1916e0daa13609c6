import { findOwnAccount } from '#db/accounts/accounts.ts'
import { readSenderExecution, readTradeStatistics } from '#db/trades/statistics.ts'
import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import { periodBase, type PerformancePeriod } from '#domain/performance-period.ts'
import { addDays, instantToLocal } from '#domain/wall-time.ts'
import { scoped } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { route } from '../route/route.ts'
import { presentStatistics } from './statistics-record.ts'
import { statisticsEndpoints } from '#contract/dashboard/statistics-endpoints.ts'

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
