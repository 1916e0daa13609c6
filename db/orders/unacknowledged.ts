import { isTerminal, type OrderReport } from '#domain/order.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { UNFILLED_ENDS } from '../engine/status-lists.ts'
import type { FollowedOrder } from './reports.ts'

export async function endedOrders(
  em: EntityManager,
  accountId: string,
  endedSince: string,
  limit: number,
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select broker_order_id as id from orders
     where account_id = ? and end_acknowledged_at >= ?::timestamptz and status in ${UNFILLED_ENDS}
       and broker_order_id is not null
     order by end_acknowledged_at desc limit ?`,
    [accountId, endedSince, limit],
  )
  return rows.map((row) => row.id)
}

export interface UnacknowledgedOrder extends FollowedOrder {
  clientOrderId: string
  brokerOrderId: string
  ended: boolean
  /** UTC instant of the last change. */
  updatedAt: string
  place: { since: string; clientOrderId: string }
}

/** Oldest first, from behind `after` on; null for the beginning. */
export async function unacknowledgedOrders(
  em: EntityManager,
  accountId: string,
  limit: number,
  after: UnacknowledgedOrder['place'] | null = null,
): Promise<UnacknowledgedOrder[]> {
  const rows = await em.execute<
    (Omit<UnacknowledgedOrder, 'ended' | 'updatedAt' | 'place'> & {
      status: OrderReport['status']
      updatedAt: StoredInstant
      since: string
    })[]
  >(
    `select id as "orderId", client_order_id as "clientOrderId", broker_order_id as "brokerOrderId",
       signal_id as "signalId", status, updated_at as "updatedAt", updated_at::text as since
     from orders where account_id = ? and end_acknowledged_at is null and broker_order_id is not null
     ${after ? 'and (updated_at, client_order_id) > (?::timestamptz, ?)' : ''}
     order by updated_at, client_order_id limit ?`,
    [accountId, ...(after ? [after.since, after.clientOrderId] : []), limit],
  )
  return rows.map(({ status, updatedAt, since, ...same }) => ({
    ...same,
    ended: isTerminal(status),
    updatedAt: instantOf(updatedAt),
    place: { since, clientOrderId: same.clientOrderId },
  }))
}
