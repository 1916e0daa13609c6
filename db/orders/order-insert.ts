import { isPositive } from '#domain/decimal.ts'
import { isTerminal, parseClientOrderId, type OrderReport } from '#domain/order.ts'
import { toStorableJson } from '../engine/json.ts'
import { orderIdFor } from './order-id.ts'

/** No index is named: a concurrent insert conflicts by three keys, which PostgreSQL checks in no fixed order. */
const UNLESS_KNOWN = 'on conflict do nothing'

export function orderInsert(
  report: OrderReport,
  signal: string,
  { where = '' }: { where?: string } = {},
): { sql: string; parameters: unknown[] } {
  const columns = reportedColumns(report)
  const row = Object.values(columns)
  // The date of a GTD entry comes from the signal: the broker may hold the order as GTC.
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  return {
    sql:
      `insert into orders (user_id, account_id, signal_id, ${Object.keys(columns).join(', ')}, created_at, sent_at, ` +
      `acknowledged_at, time_in_force, expires_at) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)}, least(now(), ?::timestamptz), ` +
      `(select registered_at from orders_out where client_order_id = ?::text), now(), ` +
      `${isEntry ? "case time_in_force when 'gtd' then 'gtd' else ?::text end, expires_at" : '?::text, null::timestamptz'} ` +
      `from ${signal} ${where} ${UNLESS_KNOWN}`,
    parameters: [
      ...row.map(({ value }) => value),
      report.submittedAt,
      report.clientOrderId,
      report.timeInForce,
    ],
  }
}

function reportedColumns(report: OrderReport): Record<string, { value: unknown; type: string }> {
  const text = (value: unknown) => ({ value, type: 'text' })
  const number = (value: unknown) => ({ value, type: 'numeric' })
  const instant = (value: unknown) => ({ value, type: 'timestamptz' })
  return {
    id: { value: orderIdFor(report.clientOrderId), type: 'uuid' },
    role: text(parseClientOrderId(report.clientOrderId)?.role ?? 'entry'),
    client_order_id: text(report.clientOrderId),
    broker_order_id: text(report.brokerOrderId),
    symbol: text(report.symbol),
    side: text(report.side),
    order_type: text(report.orderType),
    quantity: number(report.quantity),
    limit_price: number(report.limitPrice),
    stop_price: number(report.stopPrice),
    stop_limit_price: number(report.stopLimitPrice ?? null),
    trail: { value: report.trail == null ? null : toStorableJson(report.trail), type: 'jsonb' },
    changed_at: instant(report.changedAt ?? null),
    extended_hours: { value: report.extendedHours, type: 'boolean' },
    status: text(report.status),
    filled_quantity: number(report.filledQuantity),
    avg_fill_price: number(report.avgFillPrice),
    reason: text(report.reason),
    submitted_at: instant(report.submittedAt),
    filled_at: instant(report.filledAt),
    ended_at: instant(report.endedAt),
  }
}

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

export const hasProgress = (report: OrderReport): boolean =>
  isTerminal(report.status) || isPositive(report.filledQuantity)
