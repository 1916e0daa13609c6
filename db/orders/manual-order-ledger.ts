import type { DenialCode } from '#domain/denial.ts'
import type { OrderReport, AcknowledgedEnd } from '#domain/order.ts'
import {
  acknowledgedEntry,
  cancelRequestedEntry,
  cancelledEntry,
  closedEntry,
  notPlacedEntry,
  rejectedEntry,
  transmittedEntry,
  type TimelineEntry,
} from '#domain/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { STOPPED } from './decisions.ts'

/**
 * What the workflow of a manual order makes known of it. Every function writes one statement, so that it
 * happens whole or not at all, and may be repeated: a second write of the same step changes nothing.
 */

/** A common table expression that adds an entry to the timeline of the orders that `from` selects; once. */
const toldSql = (from: string): string => `told as (
  insert into order_events (user_id, order_id, key, kind, at, message, data)
  select user_id, order_id, ?, ?, ?::timestamptz, ?, ?::jsonb from ${from}
  on conflict (order_id, key) do nothing returning key)`

const told = ({ key, kind, at, message, data }: TimelineEntry): unknown[] => [
  key,
  kind,
  at,
  message,
  JSON.stringify(data ?? null),
]

/** The workflow runs, as everything that it writes shows. */
const STARTED = 'workflow_started_at = coalesce(workflow_started_at, now())'

/**
 * The broker has the order, whoever hears of it first: the workflow or the feed. Its progress is merged afterwards, see
 * `order-reports.ts`.
 *
 * @param report without any progress
 */
export async function recordManualOrderAccepted(
  em: EntityManager,
  orderId: string,
  report: OrderReport,
): Promise<void> {
  const held = await em.execute<unknown[]>(
    `with held as (
       update manual_orders set ${STARTED}, accepted_at = coalesce(accepted_at, now())
       where order_id = ? returning user_id, order_id),
     placed as (
       update orders set broker_order_id = ?, submitted_at = ?, revision = revision + 1, updated_at = now(),
         status = case when status = 'PENDING' then ? else status end
       from held where id = order_id and broker_order_id is null returning orders.user_id, order_id),
     ${toldSql('placed')} select order_id from held`,
    [orderId, report.brokerOrderId, report.submittedAt, report.status, ...told(acknowledgedEntry(report))],
  )
  if (held.length === 0) throw new Error(`there is no manual order ${orderId}`)
}

/** The order was sent and its outcome is unknown. */
export async function recordManualOrderTransmitted(
  em: EntityManager,
  orderId: string,
  at: string,
  cause: string,
): Promise<void> {
  await em.execute(
    `with held as (update manual_orders set ${STARTED} where order_id = ? returning user_id, order_id),
     ${toldSql('held')} select key from told`,
    [orderId, ...told(transmittedEntry(at, null, cause))],
  )
}

/**
 * No order was placed: refused by a rule or the broker, or not sent. Passed over when the ledger holds another end, or
 * know of the order at the broker.
 */
export async function recordManualOrderNotPlaced(
  em: EntityManager,
  orderId: string,
  at: string,
  { outcome, code, detail }: { outcome: 'rejected' | 'not_placed'; code: DenialCode; detail: string },
): Promise<void> {
  const entry =
    outcome === 'rejected' ? rejectedEntry(at, null, code, detail) : notPlacedEntry(at, code, detail)
  await em.execute(
    `with held as (
       update manual_orders set ${STARTED}, denial_code = coalesce(denial_code, ?)
       where order_id = ? and accepted_at is null returning user_id, order_id),
     ended as (
       update orders set status = 'REJECTED', reason = ?, end_acknowledged_at = now(), revision = revision + 1,
         updated_at = now()
       from held where id = order_id and status = 'PENDING' returning orders.user_id, order_id),
     ${toldSql('ended')} select key from told`,
    [code, orderId, `${code}: ${detail}`, ...told(entry)],
  )
}

/**
 * The order is cancelled before it was sent. Tells whether it is: not when the decision to send it had been taken, and
 * then the order may be at the broker.
 */
export async function recordManualOrderCancelled(
  em: EntityManager,
  orderId: string,
  at: string,
  by: string,
): Promise<'stopped' | 'too_late'> {
  const detail = `Cancelled by ${by} before it was sent`
  const rows = await em.execute<unknown[]>(
    `with held as (
       update manual_orders set ${STARTED}, decision = ?::jsonb
       where order_id = ? and (decision is null or decision = ?::jsonb) returning user_id, order_id),
     ended as (
       update orders set status = 'CANCELLED', reason = ?, end_acknowledged_at = now(), revision = revision + 1,
         updated_at = now()
       from held where id = order_id and status = 'PENDING' returning orders.user_id, order_id),
     ${toldSql('ended')} select order_id from held`,
    [
      JSON.stringify(STOPPED),
      orderId,
      JSON.stringify(STOPPED),
      detail,
      ...told(cancelledEntry(at, 'WITHDRAWN', detail)),
    ],
  )
  return rows.length === 1 ? 'stopped' : 'too_late'
}

/** Somebody asks for the order, which works at the broker, to be cancelled. */
export async function recordManualOrderCancelRequested(
  em: EntityManager,
  orderId: string,
  at: string,
  { clientOrderId, by }: { clientOrderId: string; by: string },
): Promise<void> {
  await em.execute(
    `with held as (select user_id, order_id from manual_orders where order_id = ?),
     ${toldSql('held')} select key from told`,
    [orderId, ...told(cancelRequestedEntry(at, clientOrderId, by))],
  )
}

/** The order has ended, and the workflow with it. Settled only when the ledger holds the end that the workflow knows. */
export async function recordManualOrderClosed(
  em: EntityManager,
  orderId: string,
  at: string,
  { acknowledges, message }: { acknowledges: AcknowledgedEnd; message: string },
): Promise<void> {
  await em.execute(
    `with held as (update manual_orders set ${STARTED} where order_id = ? returning user_id, order_id),
     acknowledged as (
       update orders set end_acknowledged_at = coalesce(end_acknowledged_at, now()) from held
       where id = order_id and filled_quantity = ?::numeric
         and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED') returning id),
     ${toldSql('held')} select key from told`,
    [orderId, acknowledges.filledQuantity, ...told(closedEntry(at, message))],
  )
}
