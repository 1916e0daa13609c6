import type { OrderStatus } from '#domain/order.ts'
import { z } from 'zod'
import { paging, period, periodIsSound } from '../validation/query.ts'
import { oneOf, symbol, uuid, wholeNumber } from '../validation/values.ts'

/** What each word of the `status` filter finds: OPEN means every order that still works at the broker. */
export const STATUS_FILTERS = {
  OPEN: ['PENDING', 'OPEN', 'PARTIALLY_FILLED'],
  FILLED: ['FILLED'],
  CANCELLED: ['CANCELLED'],
  REJECTED: ['REJECTED'],
} as const satisfies Record<string, readonly OrderStatus[]>

/** The query of GET /orders. */
export const orderListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    status: oneOf(['OPEN', 'FILLED', 'CANCELLED', 'REJECTED']).optional(),
    symbol: symbol().optional(),
    signalId: uuid().optional(),
    source: oneOf(['signal', 'hand']).optional(),
    ...period,
    ...paging,
  })
  .check(periodIsSound)

/** The query of GET /orders/:orderId/events; a timeline is short and mostly wanted whole. */
export const orderEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })
