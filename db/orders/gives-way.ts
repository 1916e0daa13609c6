import { UNDER_WAY, WORKING } from '../engine/status-lists.ts'

/** Exit orders that are cancelled so that a close can be placed; see `db/signals/cancelled-for.ts`. */

/**
 * For so long after the broker was last asked, the cancel of an order is that of the close which asked for it, even if the close
 * is over by then. A close that waits for the cancel asks anew at least every 20 seconds.
 */
const CONFIRMED_WITHIN = `interval '1 minute'`

/**
 * SQL condition: the close for which the order is, or was, cancelled is not over: it is decided on, sent or working.
 *
 * @param order alias of the table of orders
 */
export const closeIsUnderWay = (order: string): string => `(
  exists (
    select from signals c where c.id || '-e1' = ${order}.cancelled_for and c.account_id = ${order}.account_id
      and c.symbol = ${order}.symbol and c.entry_ended_at is null and c.status in ${UNDER_WAY})
  or exists (
    select from orders c where c.client_order_id = ${order}.cancelled_for and c.role = 'manual' and c.status in ${WORKING}))`

/**
 * The close for which an order was cancelled, as an expression to be assigned with its end; null where it has not ended for
 * that: the close was over, without its cancel having been carried out, and somebody else has cancelled the order since. Decided
 * once, when the end becomes known, so that whoever asks later is told the same.
 *
 * Its one placeholder is the instant of the end by the broker, null where that does not say. An end that becomes known late is
 * that of its instant; a broker's clock that is ahead is not believed.
 */
export const CANCELLED_FOR_AT_ITS_END = `case when orders.status not in ${WORKING} or ${closeIsUnderWay('orders')}
  or least(coalesce(?::timestamptz, now()), now()) < orders.cancelled_for_at + ${CONFIRMED_WITHIN}
  then orders.cancelled_for end`
