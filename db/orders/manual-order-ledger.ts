import type { OrderReport } from '#domain/order.ts'
import { acknowledgedEntry } from '#domain/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { noEarlierThanFirst } from './event-order.ts'

/** By workflow or feed. Undecided, as after a restoration: side and size of the broker. `report`: no progress. */
export async function recordManualOrderAccepted(
  em: EntityManager,
  orderId: string,
  report: OrderReport,
): Promise<void> {
  const { key, kind, at, message, data } = acknowledgedEntry(report)
  const held = await em.execute<unknown[]>(
    `with held as (
       update manual_orders set workflow_started_at = coalesce(workflow_started_at, now()),
         accepted_at = coalesce(accepted_at, now())
       where order_id = ? returning user_id, order_id, decision is null as is_undecided),
     placed as (
       update orders set broker_order_id = ?, submitted_at = ?, revision = revision + 1, updated_at = now(),
         side = case when is_undecided then ? else side end,
         quantity = case when is_undecided then ?::numeric else quantity end,
         status = case when status = 'PENDING' then ? else status end
       from held where id = order_id and broker_order_id is null returning orders.user_id, order_id),
     told as (
       insert into order_events (user_id, order_id, key, kind, at, message, data)
       select user_id, order_id, ?, ?, ${noEarlierThanFirst('order_events', 'placed.order_id')}, ?, ?::jsonb
       from placed
       on conflict (order_id, key) do nothing returning key)
     select order_id from held`,
    [
      orderId,
      report.brokerOrderId,
      report.submittedAt,
      report.side,
      report.quantity,
      report.status,
      key,
      kind,
      at,
      message,
      toStorableJson(data ?? null),
    ],
  )
  if (held.length === 0) throw new Error(`there is no manual order ${orderId}`)
}
