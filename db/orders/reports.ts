import { compare, decimal, isPositive } from '#domain/decimal.ts'
import {
  asGoodTillDate,
  isTerminal,
  mergeReport,
  parseClientOrderId,
  type OrderReport,
} from '#domain/order.ts'
import { progressEntry } from '#domain/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { Order } from '../entities/index.ts'
import { recordManualOrderAccepted } from './manual-order-ledger.ts'
import { orderIdFor } from './order-id.ts'

/** Whose workflow follows an order: that of its signal, or its own when it is a manual order. */
export interface FollowedOrder {
  orderId: string
  /** Null for a manual order. */
  signalId: string | null
}

/** What the ledger says of an order after a report of it has been applied. */
export interface AppliedReport extends FollowedOrder {
  /** The report told something that was not known. */
  changed: boolean
  /** The order as now known. */
  report: OrderReport
  /** The workflow has taken note of the order's end. */
  acknowledged: boolean
}

/** Columns of an order that a report fills, in the order of {@link orderRow}. */
const REPORTED_COLUMNS =
  'id, role, client_order_id, broker_order_id, symbol, side, order_type, quantity, limit_price, stop_price, ' +
  'extended_hours, status, filled_quantity, avg_fill_price, reason, submitted_at, filled_at, ended_at'

/**
 * Ends the insert of an order that somebody else may insert at the same time. Its id, its client order id and
 * the broker's id then clash together, and which of them PostgreSQL meets first is chance: so none is named.
 */
const UNLESS_KNOWN = 'on conflict do nothing'

/** The statement that adds an order of a signal to the ledger, from a report that is the first that is heard of it. */
export function orderInsert(
  report: OrderReport,
  signal: string,
  where = '',
): { sql: string; parameters: unknown[] } {
  const row = orderRow(asFirstHeardOf(report))
  // Until when an entry is good is the signal's to know: its broker may hold as gtc what is gtd.
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  return {
    sql:
      `insert into orders (user_id, account_id, signal_id, ${REPORTED_COLUMNS}, time_in_force, expires_at) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)}, ` +
      `${isEntry ? 'time_in_force, expires_at' : '?::text, null::timestamptz'} from ${signal} ${where} ${UNLESS_KNOWN}`,
    parameters: [...row.map(({ value }) => value), ...(isEntry ? [] : [report.timeInForce])],
  }
}

/** A report as the values of {@link REPORTED_COLUMNS}, each with its PostgreSQL type. */
function orderRow(report: OrderReport): { value: unknown; type: string }[] {
  const text = (value: unknown) => ({ value, type: 'text' })
  const number = (value: unknown) => ({ value, type: 'numeric' })
  const instant = (value: unknown) => ({ value, type: 'timestamptz' })
  return [
    { value: orderIdFor(report.clientOrderId), type: 'uuid' },
    text(parseClientOrderId(report.clientOrderId)?.role ?? 'entry'),
    text(report.clientOrderId),
    text(report.brokerOrderId),
    text(report.symbol),
    text(report.side),
    text(report.orderType),
    number(report.quantity),
    number(report.limitPrice),
    number(report.stopPrice),
    { value: report.extendedHours, type: 'boolean' },
    text(report.status),
    number(report.filledQuantity),
    number(report.avgFillPrice),
    text(report.reason),
    instant(report.submittedAt),
    instant(report.filledAt),
    instant(report.endedAt),
  ]
}

/** An order enters the ledger without its progress, which is then merged like that of every later report. */
export const asFirstHeardOf = (report: OrderReport): OrderReport =>
  hasProgress(report)
    ? {
        ...report,
        status: 'PENDING',
        filledQuantity: '0',
        avgFillPrice: null,
        reason: null,
        filledAt: null,
        endedAt: null,
      }
    : report

/** The report tells of a fill or of the order's end. */
export const hasProgress = (report: OrderReport): boolean =>
  isTerminal(report.status) || isPositive(report.filledQuantity)

interface OrderProgressRow {
  id: string
  signal_id: string | null
  broker_order_id: string | null
  status: OrderReport['status']
  quantity: string
  filled_quantity: string
  avg_fill_price: string | null
  reason: string | null
  filled_at: Date | string | null
  ended_at: Date | string | null
  expires_at: Date | string | null
  end_acknowledged_at: Date | string | null
  revision: number
}

/**
 * Applies a report of an account's broker to the ledger, adding the order when the report is the first that is
 * heard of it; a manual one is there before. Null when the order is none of ours: no signal of this
 * account asked for it, and nobody placed it here. A person may give orders of their own any client order id, so one
 * that names a signal of another account changes nothing.
 */
export async function applyOrderReport(
  em: EntityManager,
  accountId: string,
  report: OrderReport,
): Promise<AppliedReport | null> {
  const merged = await mergeOrderReport(em, accountId, report)
  if (merged) return merged
  const identity = parseClientOrderId(report.clientOrderId)
  if (!identity) return null
  const { sql, parameters } = orderInsert(report, 'signals', 'where id = ? and account_id = ?')
  await em.execute(sql, [...parameters, identity.signalId, accountId])
  return mergeOrderReport(em, accountId, report)
}

/** Applies a report to an order of the account; null when the ledger holds none with its client order id. */
export async function mergeOrderReport(
  em: EntityManager,
  accountId: string,
  heard: OrderReport,
): Promise<AppliedReport | null> {
  for (;;) {
    const [row] = await em.execute<OrderProgressRow[]>(
      `select id, signal_id, broker_order_id, status, quantity::text, filled_quantity::text, avg_fill_price::text,
              reason, filled_at, ended_at, expires_at, end_acknowledged_at, revision
       from orders where client_order_id = ? and account_id = ?`,
      [heard.clientOrderId, accountId],
    )
    if (!row) return null
    const { id: orderId, signal_id: signalId } = row
    if (row.broker_order_id === null) {
      await recordManualOrderAccepted(em, orderId, asFirstHeardOf(heard))
      continue
    }
    const expiresAt = row.expires_at === null ? null : new Date(row.expires_at).toISOString()
    const report = asGoodTillDate(heard, expiresAt, new Date().toISOString())
    const known = {
      status: row.status,
      filledQuantity: decimal(row.filled_quantity),
      avgFillPrice: row.avg_fill_price === null ? null : decimal(row.avg_fill_price),
      reason: row.reason,
      filledAt: row.filled_at === null ? null : new Date(row.filled_at).toISOString(),
      endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    }
    const merged = mergeReport(known, report, decimal(row.quantity))
    if (!merged) {
      const acknowledged = row.end_acknowledged_at !== null
      return { orderId, signalId, acknowledged, changed: false, report: { ...report, ...known } }
    }

    const now = { ...report, ...merged }
    const moreFilled = compare(merged.filledQuantity, known.filledQuantity) > 0
    const entry = progressEntry(now, merged.endedAt ?? merged.filledAt ?? new Date().toISOString())
    const updated = await em.execute<{ acknowledged: boolean }[]>(
      progressSql(signalId === null ? 'manual' : 'signal', { moreFilled, ended: isTerminal(merged.status) }),
      [
        signalId ?? orderId,
        merged.status,
        merged.filledQuantity,
        merged.avgFillPrice,
        merged.reason,
        merged.filledAt,
        merged.endedAt,
        row.id,
        row.revision,
        ...(signalId === null ? [] : [merged.filledQuantity, merged.avgFillPrice]),
        entry.key,
        entry.kind,
        entry.at,
        entry.message,
        JSON.stringify(entry.data ?? null),
      ],
    )
    // Somebody else applied a report in between: merge with what is known now.
    const [written] = updated
    if (written) return { orderId, signalId, acknowledged: written.acknowledged, changed: true, report: now }
  }
}

/** The one statement that moves an order on: for one of a signal, which mirrors its entry, and for a manual one. */
function progressSql(
  placedBy: 'signal' | 'manual',
  { moreFilled, ended }: { moreFilled: boolean; ended: boolean },
): string {
  // A fill after the end was taken note of is news again: the exit must grow with it. Said without a look at
  // what was read above, because the end may be taken note of while we write.
  const merged = `
    update orders set status = ?, filled_quantity = ?, avg_fill_price = ?, reason = ?, filled_at = ?, ended_at = ?,
      ${moreFilled ? 'end_acknowledged_at = null,' : ''} revision = revision + 1, updated_at = now()
    where id = ? and revision = ?`
  // Signal or placement first, as everywhere in the ledger: two writers that lock in different orders wait for each other.
  if (placedBy === 'manual')
    return `
      with held as materialized (
        select order_id from manual_orders where order_id = ? for no key update),
      merged as (
        ${merged} and id = (select order_id from held) returning id, user_id, end_acknowledged_at),
      told as (
        insert into order_events (user_id, order_id, key, kind, at, message, data)
        select user_id, id, ?, ?, ?::timestamptz, ?, ?::jsonb from merged
        on conflict (order_id, key) do nothing returning key)
      select end_acknowledged_at is not null as acknowledged from merged`
  return `
    with held as materialized (
      select id from signals where id = ? for no key update),
    merged as (
      ${merged} and signal_id = (select id from held) returning id, signal_id, role, end_acknowledged_at),
    mirrored as (
      update signals set filled_quantity = ?, avg_fill_price = ?, updated_at = now()
        ${ended ? ', entry_ended_at = coalesce(entry_ended_at, now())' : ''}
      from merged where signals.id = merged.signal_id and merged.role = 'entry' returning signals.id),
    told as (
      insert into signal_events (signal_id, key, kind, at, message, data)
      select signal_id, ?, ?, ?::timestamptz, ?, ?::jsonb from merged
      on conflict (signal_id, key) do nothing returning key)
    select end_acknowledged_at is not null as acknowledged from merged`
}

/** What the ledger says of an order of the account; null when they hold none with this client order id. */
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
    signalId: order.signalId ?? null,
    acknowledged: order.endAcknowledgedAt !== null,
    report,
  }
}

/** An order of the ledger as its broker would report it; null for one that its broker has not accepted. */
export function reportOf(order: Order): OrderReport | null {
  if (order.brokerOrderId == null) return null
  const price = (value: string | null | undefined) => (value == null ? null : decimal(value))
  return {
    brokerOrderId: order.brokerOrderId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    side: order.side,
    quantity: decimal(order.quantity),
    orderType: order.orderType,
    limitPrice: price(order.limitPrice),
    stopPrice: price(order.stopPrice),
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

/**
 * Broker's ids of the account's orders that ended without being filled whole and that were dealt with, by whether they
 * ended since an instant; the latest first.
 */
export async function endedOrders(
  em: EntityManager,
  accountId: string,
  endedSince: string,
  limit: number,
): Promise<string[]> {
  const rows = await em.execute<{ broker_order_id: string }[]>(
    `select broker_order_id from orders
     where account_id = ? and end_acknowledged_at >= ?::timestamptz and status in ('CANCELLED', 'EXPIRED', 'REJECTED')
       and broker_order_id is not null
     order by end_acknowledged_at desc limit ?`,
    [accountId, endedSince, limit],
  )
  return rows.map((row) => row.broker_order_id)
}

/** An order whose end the workflow has yet to take note of. */
export interface UnacknowledgedOrder extends FollowedOrder {
  clientOrderId: string
  brokerOrderId: string
  ended: boolean
  /** Since when nothing has changed; UTC instant. */
  updatedAt: string
  /** Where it stands in the order of the list. */
  place: { since: string; clientOrderId: string }
}

/**
 * The account's orders that are working at the broker, or have ended without their workflow knowing, oldest first.
 *
 * @param after the place from which to go on; null for the beginning
 */
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
      updated_at: Date | string
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
    updatedAt: new Date(row.updated_at).toISOString(),
    place: { since: row.since, clientOrderId: row.client_order_id },
  }))
}
