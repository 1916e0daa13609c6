import { compare, decimal, type Decimal } from '#domain/money/decimal.ts'
import {
  asGoodTillDate,
  isTerminal,
  mergeReport,
  parseClientOrderId,
  type OrderReport,
} from '#domain/order/order.ts'
import { quantityAfter, withExecutions } from '#domain/order/changes.ts'
import { acknowledgedEntry, progressEntry } from '#domain/signal/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant } from '../engine/query.ts'
import { Order } from '../entities/index.ts'
import {
  EXECUTED,
  executedLinks,
  noteBrokerIds,
  type ExecutedRow,
  asFirstReported,
  followChange,
  ORDER_PRICES,
  type PricesRow,
} from './order-rows.ts'
import { noEarlierThanFirst } from './decisions.ts'
import { freeSource, placeHeard, TO_BE_ACCEPTED } from './early-reports.ts'
import { CANCELLED_FOR_AT_ITS_END } from './cancelled-for.ts'
import { isGivenUp, noteConfirmed, type UnconfirmedRow } from './throttle.ts'

export interface FollowedOrder {
  orderId: string
  signalId: string
}

export interface AppliedReport extends FollowedOrder {
  changed: boolean
  report: OrderReport
  acknowledged: boolean
  /** The acceptance, not yet recorded, will contain the report. */
  isReportedByAcceptance: boolean
  /** This service ended the order: the broker did not show it. */
  isGivenUp: boolean
}

interface OrderProgressRow extends PricesRow, UnconfirmedRow {
  signal_id: string
  broker_order_id: string | null
  status: OrderReport['status']
  filled_quantity: Decimal
  avg_fill_price: Decimal | null
  reason: string | null
  filled_at: StoredInstant | null
  ended_at: StoredInstant | null
  expires_at: StoredInstant | null
  end_acknowledged_at: StoredInstant | null
  executed: ExecutedRow[]
}

/** Applies a report; null for a foreign order, which may use our client order ids. */
export async function applyOrderReport(
  em: EntityManager,
  accountId: string,
  report: OrderReport,
): Promise<AppliedReport | null> {
  const merged = await mergeOrderReport(em, accountId, report)
  if (merged) return merged
  const identity = parseClientOrderId(report.clientOrderId)
  if (!identity) return null
  const placed = await placeHeard(em, accountId, identity, report)
  if (placed) {
    const { signalId } = identity
    return { ...placed, signalId, report, changed: true, acknowledged: false, isGivenUp: false }
  }
  const added = await mergeOrderReport(em, accountId, report)
  if (added === null && isTerminal(report.status)) await freeSource(em, accountId, identity.signalId)
  return added
}

/**
 * The broker has an order by hand; undecided, as after a restoration, it gets the broker's side and size. `report`: no
 * progress.
 */
async function recordAtBroker(em: EntityManager, orderId: string, report: OrderReport): Promise<void> {
  const { key, kind, at, message, data } = acknowledgedEntry(report)
  await em.execute(
    `with held as materialized (
       select s.id as held_id, s.decisions -> 'entry' is null as is_undecided from signals s
       where s.id = (select signal_id from orders where id = ?) for no key update),
     placed as (
       update orders set broker_order_id = ?, submitted_at = ?, acknowledged_at = now(), known_at = now(),
         sent_at = (select registered_at from send_permits out where out.client_order_id = orders.client_order_id),
         revision = revision + 1, updated_at = now(),
         side = case when is_undecided then ? else side end,
         quantity = case when is_undecided then ?::numeric else quantity end,
         status = case when status = 'PENDING' then ? else status end
       from held where signal_id = held_id and id = ? and broker_order_id is null returning signal_id)
     insert into signal_events (signal_id, key, kind, at, message, data)
     select signal_id, ?, ?, ${noEarlierThanFirst('placed.signal_id')}, ?, ?::jsonb from placed
     on conflict (signal_id, key) do nothing`,
    [
      orderId,
      report.brokerOrderId,
      report.submittedAt,
      report.side,
      report.quantity,
      report.status,
      orderId,
      key,
      kind,
      at,
      message,
      toStorableJson(data ?? null),
    ],
  )
}

/** Null without such an order. `by` us: an end without the broker's report, for an unconfirmed order. */
export async function mergeOrderReport(
  em: EntityManager,
  accountId: string,
  heard: OrderReport,
  by: 'broker' | 'us' = 'broker',
): Promise<AppliedReport | null> {
  let isFollowed = false
  for (;;) {
    const [row] = await em.execute<OrderProgressRow[]>(
      `select id, signal_id, broker_order_id, status, quantity::text, filled_quantity::text, avg_fill_price::text,
              reason, filled_at, ended_at, expires_at, end_acknowledged_at, unconfirmed_since, revision, ${ORDER_PRICES}, ${EXECUTED} as executed
       from orders where client_order_id = ? and account_id = ?`,
      [heard.clientOrderId, accountId],
    )
    if (!row) return null
    const { id: orderId, signal_id: signalId } = row
    if (row.broker_order_id === null) {
      await recordAtBroker(em, orderId, asFirstReported(heard))
      continue
    }
    if (by === 'us' && row.unconfirmed_since === null) return null
    if (by === 'broker' && (await noteConfirmed(em, row, heard))) continue
    if (await noteBrokerIds(em, accountId, row, heard)) continue
    const executed = executedLinks(row.executed)
    // Figures finer than the ledger's never compare equal.
    if (!isFollowed && (isFollowed = await followChange(em, row, heard, executed))) continue
    const expiresAt = instantOrNull(row.expires_at)
    const whole = withExecutions(heard, executed)
    const report = asGoodTillDate(whole, expiresAt, new Date().toISOString())
    const known = {
      status: row.status,
      filledQuantity: decimal(row.filled_quantity),
      avgFillPrice: row.avg_fill_price === null ? null : decimal(row.avg_fill_price),
      reason: row.reason,
      filledAt: instantOrNull(row.filled_at),
      endedAt: instantOrNull(row.ended_at),
    }
    const quantity = quantityAfter({ ...known, quantity: decimal(row.quantity) }, report, executed)
    const merged = mergeReport(known, report, quantity)
    if (!merged) {
      const acknowledged = row.end_acknowledged_at !== null
      const same = {
        orderId,
        signalId,
        acknowledged,
        isReportedByAcceptance: false,
        isGivenUp: isGivenUp(row),
      }
      return { ...same, changed: false, report: { ...report, ...known } }
    }

    const now = { ...report, ...merged, quantity }
    const moreFilled = compare(merged.filledQuantity, known.filledQuantity) > 0
    const ended = isTerminal(merged.status)
    const entry = progressEntry(now, new Date().toISOString())
    const updated = await em.execute<{ acknowledged: boolean; to_be_accepted: boolean }[]>(
      progressSql({ moreFilled, ended }),
      [
        signalId,
        merged.status,
        merged.filledQuantity,
        merged.avgFillPrice,
        merged.reason,
        merged.filledAt,
        merged.endedAt,
        quantity,
        ...(ended ? [merged.endedAt] : []),
        row.id,
        row.revision,
        merged.filledQuantity,
        merged.avgFillPrice,
        entry.key,
        entry.kind,
        entry.at,
        entry.message,
        toStorableJson(entry.data ?? null),
      ],
    )
    // Another process applied a report meanwhile.
    const [written] = updated
    if (!written) continue
    const { acknowledged, to_be_accepted: isReportedByAcceptance } = written
    const told = { acknowledged, isReportedByAcceptance }
    const gone = isGivenUp({ ...row, status: merged.status })
    return { orderId, signalId, ...told, isGivenUp: gone, changed: true, report: now }
  }
}

function progressSql({ moreFilled, ended }: { moreFilled: boolean; ended: boolean }): string {
  // A fill after the acknowledged end must be reported again for the exit; the end may be acknowledged meanwhile.
  const merged = `
    update orders set status = ?, filled_quantity = ?, avg_fill_price = ?, reason = ?, filled_at = ?, ended_at = ?,
      quantity = ?,
      ${ended ? `cancelled_for = ${CANCELLED_FOR_AT_ITS_END},` : ''}
      ${moreFilled ? 'end_acknowledged_at = null,' : ''} revision = revision + 1, updated_at = now()
    where id = ? and revision = ?`
  // The signal is locked first, as everywhere, against deadlocks; the lock also separates it from the acceptance.
  return `
    with held as materialized (
      select id, status from signals where id = ? for no key update),
    merged as (
      ${merged} and signal_id = (select id from held) returning id, signal_id, role, end_acknowledged_at),
    mirrored as (
      update signals set filled_quantity = ?, avg_fill_price = ?, updated_at = now()
        ${ended ? ', entry_ended_at = coalesce(entry_ended_at, now())' : ''}
      from merged where signals.id = merged.signal_id and merged.role <> 'exit' returning signals.id),
    told as (
      insert into signal_events (signal_id, key, kind, at, message, data)
      select signal_id, ?, ?, ${noEarlierThanFirst('merged.signal_id')}, ?, ?::jsonb from merged
      on conflict (signal_id, key) do nothing returning key)
    select end_acknowledged_at is not null as acknowledged, ${TO_BE_ACCEPTED} as to_be_accepted from merged, held`
}

export async function recordedOrder(
  em: EntityManager,
  accountId: string,
  clientOrderId: string,
): Promise<AppliedReport | null> {
  const [order] = await em.fork().find(Order, { accountId, clientOrderId })
  const report = order ? reportOf(order) : null
  if (!order || !report) return null
  return {
    changed: false,
    orderId: order.id,
    signalId: order.signalId,
    acknowledged: order.endAcknowledgedAt !== null,
    isReportedByAcceptance: false,
    isGivenUp: isGivenUp({ status: order.status, unconfirmed_since: order.unconfirmedSince ?? null }),
    report,
  }
}

/** Null before the broker's acceptance. */
export function reportOf(order: Order): OrderReport | null {
  if (order.brokerOrderId == null) return null
  const price = (value: Decimal | null | undefined) => (value == null ? null : decimal(value))
  return {
    brokerOrderId: order.brokerOrderId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    side: order.side,
    quantity: decimal(order.quantity),
    orderType: order.orderType,
    limitPrice: price(order.limitPrice),
    stopPrice: price(order.stopPrice),
    ...(order.stopLimitPrice != null && { stopLimitPrice: decimal(order.stopLimitPrice) }),
    ...(order.trail != null && { trail: order.trail }),
    timeInForce: order.timeInForce,
    extendedHours: order.extendedHours,
    status: order.status,
    filledQuantity: decimal(order.filledQuantity),
    avgFillPrice: price(order.avgFillPrice),
    reason: order.reason ?? null,
    submittedAt: order.submittedAt.toISOString(),
    filledAt: order.filledAt?.toISOString() ?? null,
    endedAt: order.endedAt?.toISOString() ?? null,
  }
}
