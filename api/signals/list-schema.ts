import { EXECUTE_MODES } from '#domain/signal.ts'
import { SIGNAL_STATUSES } from '#domain/signal-status.ts'
import { z } from 'zod'
import { paging, period, checkPeriod } from '../http/validation/query.ts'
import { anyOf, lineOfText, oneOf, symbol, uuid, wholeNumber } from '../http/validation/values.ts'

/** The query of GET /signals. */
export const signalListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    strategyId: uuid().optional(),
    sourceId: lineOfText(255).optional(),
    status: anyOf(SIGNAL_STATUSES).optional(),
    executeMode: oneOf(EXECUTE_MODES).optional(),
    symbol: symbol().optional(),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

/** The query of GET /signals/:id/events; a timeline is short and mostly wanted whole. */
export const signalEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })
