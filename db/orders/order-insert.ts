import { isPositive } from '#domain/decimal.ts'
import { isTerminal, parseClientOrderId, type OrderReport } from '#domain/order.ts'
import { orderIdFor } from './order-id.ts'

/** Columns of an order that a report fills, in the order of {@link orderRow}. */
const REPORTED_COLUMNS =
  'id, role, client_order_id, broker_order_id, symbol, side, order_type, quantity, limit_price, stop_price, ' +
  'extended_hours, status, filled_quantity, avg_fill_price, reason, submitted_at, filled_at, ended_at'

/**
 * Ends the insert of an order that another process may insert at the same time. Then its id, its client order id and the
 * broker's id conflict all at once, and PostgreSQL checks them in no fixed order: so no index is named.
 */
const UNLESS_KNOWN = 'on conflict do nothing'

/** The statement that adds an order of a signal to the ledger from its first report. */
export function orderInsert(
  report: OrderReport,
  signal: string,
  { where = '', isAcknowledged = false }: { where?: string; isAcknowledged?: boolean | undefined } = {},
): { sql: string; parameters: unknown[] } {
  const row = orderRow(report)
  // The date of a GTD entry comes from the signal: the broker may hold the order as GTC.
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  return {
    sql:
      `insert into orders (user_id, account_id, signal_id, ${REPORTED_COLUMNS}, created_at, sent_at, ` +
      `acknowledged_at, ${isAcknowledged ? 'end_acknowledged_at, ' : ''}time_in_force, expires_at) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)}, least(now(), ?::timestamptz), ` +
      `(select registered_at from orders_out where client_order_id = ?::text), now(), ${isAcknowledged ? 'now(), ' : ''}` +
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

/** Of an order whose signal is not written with it: inserted without its progress, which is then merged as always. */
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

/** The report contains a fill or the order's end. */
export const hasProgress = (report: OrderReport): boolean =>
  isTerminal(report.status) || isPositive(report.filledQuantity)
