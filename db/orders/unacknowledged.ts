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
  const rows = await em.execute<{ broker_order_id: string }[]>(
    `select broker_order_id from orders
     where account_id = ? and end_acknowledged_at >= ?::timestamptz and status in ${UNFILLED_ENDS}
       and broker_order_id is not null
     order by end_acknowledged_at desc limit ?`,
    [accountId, endedSince, limit],
  )
  return rows.map((row) => row.broker_order_id)
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
    {
      id: string
      client_order_id: string
      broker_order_id: string
      signal_id: string | null
      status: OrderReport['status']
      updated_at: StoredInstant
      since: string
    }[]
  >(
    `select id, client_order_id, broker_order_id, signal_id, status, updated_at, updated_at::text as since
     from orders where account_id = ? and end_acknowledged_at is null and broker_order_id is not null
     ${after ? 'and (updated_at, client_order_id) > (?::timestamptz, ?)' : ''}
     order by updated_at, client_order_id limit ?`,
    [accountId, ...(after ? [after.since, after.clientOrderId] : []), limit],
  )
  return rows.map((row) => ({
    clientOrderId: row.client_order_id,
    brokerOrderId: row.broker_order_id,
    orderId: row.id,
    signalId: row.signal_id,
    ended: isTerminal(row.status),
    updatedAt: instantOf(row.updated_at),
    place: { since: row.since, clientOrderId: row.client_order_id },
  }))
}
