import { ORDER_STATUSES, WORKING_STATUSES, type OrderStatus } from '#domain/order.ts'
import { z } from 'zod'
import { paging, period, checkPeriod } from '../values/query.ts'
import { oneOf, symbols, uuid, wholeNumber } from '../values/values.ts'

export const STATUS_FILTERS = {
  OPEN: WORKING_STATUSES,
  PENDING: ['PENDING'],
  PARTIALLY_FILLED: ['PARTIALLY_FILLED'],
  FILLED: ['FILLED'],
  CANCELLED: ['CANCELLED'],
  REJECTED: ['REJECTED'],
  EXPIRED: ['EXPIRED'],
} as const satisfies Record<OrderStatus, readonly OrderStatus[]>

export const SOURCE_FILTERS = { signal: ['entry', 'exit'], manual: ['manual'] } as const

export const orderListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    status: oneOf(ORDER_STATUSES)
      .describe('OPEN finds every order that still works: PENDING and PARTIALLY_FILLED ones too')
      .optional(),
    symbol: symbols().optional(),
    signalId: uuid().optional(),
    source: oneOf(['signal', 'manual']).optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

export const orderEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })

export const CANCELLED_AT_ONCE = 200
