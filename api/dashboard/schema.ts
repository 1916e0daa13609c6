import { PERFORMANCE_PERIODS } from '#domain/performance-period.ts'
import { z } from 'zod'
import { localDate } from '../http/validation/instants.ts'
import { oneOf, uuid } from '../http/validation/values.ts'

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
