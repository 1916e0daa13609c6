import { TRADE_SIDES } from '#domain/profit.ts'
import { TRADE_STATUSES } from '#domain/round-trips.ts'
import { z } from 'zod'
import { paging, period, checkPeriod } from '../http/validation/query.ts'
import { oneOf, symbol, uuid } from '../http/validation/values.ts'

/** The query of GET /trades; the period is that of the entry. */
export const tradeListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    symbol: symbol().optional(),
    status: oneOf(TRADE_STATUSES).optional(),
    side: oneOf(TRADE_SIDES).optional(),
    strategyId: uuid().optional(),
    signalId: uuid().optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

/** The query of GET /orders/open-trades. */
export const openTradeListQuery = z.strictObject({
  accountId: uuid().optional(),
  symbol: symbol().optional(),
  ...paging,
})
