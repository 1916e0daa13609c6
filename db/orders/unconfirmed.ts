import { ORDER_SHOWN_WITHIN_MS } from '#domain/broker-lags.ts'
import { isTerminal, type OrderReport, type OrderStatus } from '#domain/order.ts'
import { WORKING } from '../engine/status-lists.ts'
import type { EntityManager } from '../engine/database.ts'
import type { StoredInstant } from '../engine/instants.ts'

/** An accepted order is confirmed, unconfirmed, or has ended; unconfirmed it protects nothing. Decision 20. */

/** SQL condition on a working order (an alias): its broker has shown it, or was asked for it only a moment ago. */
export const isConfirmed = (order: string): string => `coalesce(
  ${order}.unconfirmed_since > now() - interval '${ORDER_SHOWN_WITHIN_MS} milliseconds', true)`

/** The first answer without it counts. */
export async function noteUnconfirmed(em: EntityManager, orderId: string): Promise<void> {
  await em.execute(
    `update orders set unconfirmed_since = now()
     where id = ? and unconfirmed_since is null and status in ${WORKING}`,
    [orderId],
  )
}

export interface UnconfirmedRow {
  id: string
  status: OrderStatus
  revision: number
  unconfirmed_since: StoredInstant | null
}

/** Ended by nobody but this service. */
export const isGivenUp = ({
  status,
  unconfirmed_since,
}: Pick<UnconfirmedRow, 'status' | 'unconfirmed_since'>): boolean =>
  unconfirmed_since !== null && isTerminal(status) && status !== 'FILLED'

/**
 * The broker's word of it, with which the alert ends; that it works confirms no order that was given up. True
 * where the row has to be read again.
 */
export async function noteConfirmed(
  em: EntityManager,
  row: UnconfirmedRow,
  heard: OrderReport,
): Promise<boolean> {
  if (row.unconfirmed_since === null || (isGivenUp(row) && !isTerminal(heard.status))) return false
  await em.execute(
    `with confirmed as (
       update orders set unconfirmed_since = null, revision = revision + 1
       where id = ? and revision = ? returning signal_id as subject, client_order_id)
     update alerts set resolved_at = now() from confirmed
     where kind = 'order_unknown_at_broker' and signal_id = subject
       and data ->> 'clientOrderId' = client_order_id and resolved_at is null`,
    [row.id, row.revision],
  )
  return true
}
