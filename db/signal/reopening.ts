import type { AlertNotice } from '#domain/alert/alert.ts'
import { reopenedEntry } from '#domain/signal/timeline.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { AcknowledgedEnd, OrderReport } from '#domain/order/order.ts'
import { UNLESS_OPEN } from '../alert/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

/** Alerts of a fill after the end, once for each end. */
export async function noteReopened(em: EntityManager, signalId: string, at: string): Promise<void> {
  const notice: AlertNotice = {
    kind: 'fill_after_end',
    message: 'The broker reported a fill after the signal had ended; an exit for it follows',
    data: {},
  }
  const { key, kind, message } = reopenedEntry(at, 1)
  await em.execute(
    `with told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ? || case when closings = 1 then '' else '-' || closings end, ?, ?::timestamptz, ?, 'null'::jsonb
       from signals where id = ? on conflict (signal_id, key) do nothing returning signal_id)
     insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select user_id, account_id, id, ?, ?, ?::jsonb from signals where id in (select signal_id from told) ${UNLESS_OPEN}`,
    [key, kind, at, message, signalId, notice.kind, notice.message, toStorableJson(notice.data)],
  )
}

/** Acknowledges an order without workflow, unless filled further, with the alert in one statement. */
export async function acknowledgeUnfollowed(
  em: EntityManager,
  { clientOrderId, filledQuantity }: AcknowledgedEnd,
  notice: AlertNotice | null,
): Promise<void> {
  const acknowledging = `update orders set end_acknowledged_at = now()
    where client_order_id = ? and end_acknowledged_at is null and filled_quantity <= ?::numeric
    returning user_id, account_id, signal_id`
  if (notice === null) {
    await em.execute(acknowledging, [clientOrderId, filledQuantity])
    return
  }
  await em.execute(
    `with acknowledged as (${acknowledging})
     insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select user_id, account_id, signal_id, ?, ?, ?::jsonb from acknowledged ${UNLESS_OPEN}`,
    [clientOrderId, filledQuantity, notice.kind, notice.message, toStorableJson(notice.data)],
  )
}

/** Filled shares that the signal's end has counted; zero for an exit. */
export async function countedShares(
  em: EntityManager,
  { clientOrderId }: Pick<OrderReport, 'clientOrderId'>,
): Promise<{ counted: Decimal; isByHand: boolean }> {
  const [row] = await em.execute<{ counted: Decimal; isByHand: boolean }[]>(
    `select case when o.role = 'exit' then '0' else trim_scale(s.counted_quantity)::text end as counted,
       s.ask is not null as "isByHand"
     from orders o join signals s on s.id = o.signal_id where o.client_order_id = ?`,
    [clientOrderId],
  )
  return row ?? { counted: '0', isByHand: false }
}
