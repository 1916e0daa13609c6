import { TRADE_SIDES } from '#domain/profit.ts'
import { TRADE_STATUSES } from '#domain/round-trips.ts'
import { z } from 'zod'
import { TRADE_SORTS } from '#domain/lists.ts'
import { localDate } from '../values/instants.ts'
import { paging, period, checkPeriod } from '../values/query.ts'
import { oneOf, symbol, symbols, uuid } from '../values/values.ts'

/** The period is that of the entry, the days are those of the closing. */
const tradeFilter = {
  accountId: uuid().optional(),
  symbol: symbols().optional(),
  status: oneOf(TRADE_STATUSES).optional(),
  side: oneOf(TRADE_SIDES).optional(),
  strategyId: uuid().optional(),
  signalId: uuid().optional(),
  closedFrom: localDate().optional(),
  closedTo: localDate().optional(),
  ...period,
}

export const tradeListQuery = z
  .strictObject({
    ...tradeFilter,
    sort: oneOf(TRADE_SORTS).default('entryAt'),
    direction: oneOf(['desc', 'asc'] as const).default('desc'),
    ...paging,
  })
  .check(checkPeriod)

export const tradeTotalsQuery = z.strictObject(tradeFilter).check(checkPeriod)

export const openTradeListQuery = z.strictObject({
  accountId: uuid().optional(),
  symbol: symbol().optional(),
  ...paging,
})
