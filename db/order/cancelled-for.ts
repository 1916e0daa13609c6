import { UNDER_WAY, WORKING } from '../engine/query.ts'

/** A cancel counts for its close this long; a waiting close asks every 20 seconds. */
const CONFIRMED_WITHIN = `interval '1 minute'`

/** SQL condition: the close for which `order` was cancelled is decided, sent or open. */
export const closeIsUnderWay = (order: string): string => `(
  exists (
    select from signals c where c.id || '-e1' = ${order}.cancelled_for and c.account_id = ${order}.account_id
      and c.symbol = ${order}.symbol and c.entry_ended_at is null and c.status in ${UNDER_WAY}))`

/** SQL, evaluated once. Placeholder: the broker's instant of the end, or null. */
export const CANCELLED_FOR_AT_ITS_END = `case when orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}
  or least(coalesce(?::timestamptz, now()), now()) < orders.cancelled_for_at + ${CONFIRMED_WITHIN}
  then orders.cancelled_for end`
