import { findOwnAccount } from '#db/accounts/accounts.ts'
import { listBalances, summarisePortfolio } from '#db/accounts/dashboard.ts'
import { readPerformanceRecords } from '#db/trades/performance-records.ts'
import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import { periodBase } from '#domain/performance-period.ts'
import { instantToLocal } from '#domain/wall-time.ts'
import { principalOf } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { noQuery, readQuery } from '../http/validation/query.ts'
import type { AccountPerformance, BalanceHistory } from './answers.ts'
import { presentBalancePoint, presentPerformance, presentSummary } from './record.ts'
import { balanceHistoryQuery, performanceQuery } from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** The routes of the dashboard. */
export function dashboardRoutes(): RouteList {
  const routes = new RouteList('/api/v1/dashboard')

  routes.get('/summary', async (ctx) => {
    readQuery(ctx, noQuery)
    const { userId, tradingMode } = principalOf(ctx)
    const summary = summarisePortfolio(ctx.state.em, userId, tradingMode)
    const data = presentSummary(await beforeDatabaseDeadline(ctx, summary), tradingMode)
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.get('/balance-history', async (ctx) => {
    const { accountId = null, from = null, to = null } = readQuery(ctx, balanceHistoryQuery)
    const { userId, tradingMode: mode } = principalOf(ctx)
    const { em } = ctx.state
    if (accountId !== null && !(await beforeDatabaseDeadline(ctx, findOwnAccount(em, userId, accountId))))
      throw new ApiError('ACCOUNT_NOT_FOUND')
    const balances = listBalances(em, userId, accountId === null ? { mode } : { accountId }, { from, to })
    const points = (await beforeDatabaseDeadline(ctx, balances)).map(presentBalancePoint)
    const data: BalanceHistory = { accountId, mode, points }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  routes.get('/account-performance', async (ctx) => {
    const { period } = readQuery(ctx, performanceQuery)
    const { userId, tradingMode: mode } = principalOf(ctx)
    const to = instantToLocal(new Date().toISOString(), NYSE_ZONE).date
    const from = periodBase(period, to)
    const records = await beforeDatabaseDeadline(
      ctx,
      readPerformanceRecords(ctx.state.em, userId, mode, from),
    )
    const data: AccountPerformance = { period, from, to, mode, accounts: records.map(presentPerformance) }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return routes
}
