import { PERFORMANCE_PERIODS } from '#domain/performance-period.ts'
import { z } from 'zod'
import { localDate } from '../values/instants.ts'
import { oneOf, uuid, symbol } from '../values/values.ts'

export const balanceHistoryQuery = z
  .strictObject({
    accountId: uuid().optional(),
    from: localDate().optional(),
    to: localDate().optional(),
  })
  .check(({ value: { from, to }, issues }) => {
    if (from !== undefined && to !== undefined && from > to)
      issues.push({ code: 'custom', path: ['to'], message: 'must not be earlier than from', input: to })
  })

export const equityTodayQuery = z.strictObject({ accountId: uuid().optional() })

export const performanceQuery = z.strictObject({ period: oneOf(PERFORMANCE_PERIODS).default('1M') })

export const tradeStatisticsQuery = z
  .strictObject({
    period: oneOf(PERFORMANCE_PERIODS).optional(),
    from: localDate().optional(),
    to: localDate().optional(),
    accountId: uuid().optional(),
    strategyId: uuid().optional(),
    symbol: symbol().optional(),
  })
  .check(({ value: { period, from, to }, issues }) => {
    if (from !== undefined && to !== undefined && from > to)
      issues.push({ code: 'custom', path: ['to'], message: 'must not be earlier than from', input: to })
    if (period !== undefined && (from !== undefined || to !== undefined))
      issues.push({
        code: 'custom',
        path: ['period'],
        message: 'takes the place of from and to: send only one of them',
        input: period,
      })
  })
