import { SIGNAL_STATUSES } from '#domain/signal-status.ts'
import { z } from 'zod'
import { paging } from '../validation/query.ts'
import { lineOfText, oneOf, symbol, uuid, wholeNumber } from '../validation/values.ts'

/** The query of GET /signals. */
export const signalListQuery = z.strictObject({
  accountId: uuid().optional(),
  strategyId: uuid().optional(),
  sourceId: lineOfText(255).optional(),
  status: oneOf(SIGNAL_STATUSES).optional(),
  symbol: symbol().optional(),
  ...paging,
})

/** The query of GET /signals/:id/events; a timeline is short and mostly wanted whole. */
export const signalEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })
