import { derivedId, instantOrNull, type StoredInstant } from '../engine/query.ts'
import { decimal, type Decimal, isPositive, compare } from '#domain/money/decimal.ts'
import { type ExecutedLink, isReplaced, changedElsewhereEntry } from '#domain/order/changes.ts'
import { brokerIdsOf, type OrderReport, isTerminal, parseClientOrderId } from '#domain/order/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Distance } from '#domain/exit/protection.ts'
import { UNLESS_OPEN } from '../alert/alerts.ts'
import { noEarlierThanFirst } from './decisions.ts'

const ORDER_NAMESPACE = Buffer.from('6f1d2c0b8a8e4c1c9b7e5c52f0a3d9e1', 'hex')

export const orderIdFor = (clientOrderId: string): string => derivedId(ORDER_NAMESPACE, clientOrderId)

// A change by a person gives the order another broker id.
export interface ExecutedRow {
  id: string
  quantity: Decimal
  value: Decimal
  lastAt: string | null
}

export const EXECUTED = `(
  select coalesce(json_agg(json_build_object('id', e.broker_order_id, 'quantity', e.quantity::text, 'value', e.value::text,
    'lastAt', e.last_at)), '[]') from (
    select b.broker_order_id, coalesce(sum(f.quantity), 0) as quantity, coalesce(sum(f.quantity * f.price), 0) as value,
      max(f.at) as last_at
    from order_broker_ids b left join fills f on f.account_id = b.account_id and f.broker_order_id = b.broker_order_id
    where b.order_id = orders.id group by b.broker_order_id) e)`

export const executedLinks = (rows: readonly ExecutedRow[]): ExecutedLink[] =>
  rows.map(({ id, quantity, value, lastAt }) => ({
    brokerOrderId: id,
    quantity: decimal(quantity),
    value: decimal(value),
    lastAt: instantOrNull(lastAt),
  }))

/** Notes broker ids; true for new ones. */
export async function noteBrokerIds(
  em: EntityManager,
  accountId: string,
  { id, executed }: { id: string; executed: readonly ExecutedRow[] },
  report: OrderReport,
): Promise<boolean> {
  const known = new Set(executed.map((link) => link.id))
  const missing = brokerIdsOf(report).filter((each) => !known.has(each))
  if (missing.length === 0) return false
  const noted = await em.execute<unknown[]>(
    `insert into order_broker_ids (account_id, broker_order_id, user_id, order_id)
     select ?, named.id, user_id, orders.id from orders, jsonb_array_elements_text(?::jsonb) as named (id)
     where orders.id = ? on conflict do nothing returning broker_order_id`,
    [accountId, toStorableJson(missing), id],
  )
  return noted.length > 0
}

/** No index is named: PostgreSQL checks three keys in no fixed order. */
const UNLESS_KNOWN = 'on conflict do nothing'

export function orderInsert(report: OrderReport, signal: string): { sql: string; parameters: unknown[] } {
  const columns = reportedColumns(report)
  const row = Object.values(columns)
  // The broker may hold a GTD entry as GTC.
  const isEntry = parseClientOrderId(report.clientOrderId)?.role === 'entry'
  return {
    sql:
      `insert into orders (user_id, account_id, signal_id, ${Object.keys(columns).join(', ')}, created_at, sent_at, ` +
      `acknowledged_at, time_in_force, expires_at) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)}, least(now(), ?::timestamptz), ` +
      `(select registered_at from send_permits where client_order_id = ?::text), now(), ` +
      `${isEntry ? "case time_in_force when 'gtd' then 'gtd' else ?::text end, expires_at" : '?::text, null::timestamptz'} ` +
      `from ${signal} ${UNLESS_KNOWN}`,
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

export const asFirstReported = (report: OrderReport): OrderReport =>
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

export interface PricesRow {
  id: string
  revision: number
  quantity: Decimal
  limit_price: Decimal | null
  stop_price: Decimal | null
  stop_limit_price: Decimal | null
  trail: Distance | null
  changed_at: StoredInstant | null
}

export const ORDER_PRICES = `limit_price::text, stop_price::text, stop_limit_price::text, trail, changed_at`

/**
 * Applies changed figures unless outdated; true when applied. A change from elsewhere goes on the timeline; one in
 * place, as by a split, alerts the owner.
 */
export async function followChange(
  em: EntityManager,
  row: PricesRow,
  report: OrderReport,
  executed: readonly ExecutedLink[],
): Promise<boolean> {
  const { quantity, limitPrice, stopPrice, stopLimitPrice = null, trail = null, changedAt } = report
  const isInPlace = !isReplaced(report, executed)
  if (!isInPlace && (!report.links || changedAt === undefined)) return false
  const isSame =
    isSamePrice(limitPrice, row.limit_price) &&
    isSamePrice(stopPrice, row.stop_price) &&
    isSamePrice(stopLimitPrice, row.stop_limit_price) &&
    isDeepStrictEqual(trail, row.trail) &&
    (!isInPlace || isSamePrice(quantity, row.quantity))
  const before = instantOrNull(row.changed_at)
  const isOlder =
    before !== null && changedAt !== undefined && (isInPlace ? changedAt < before : changedAt <= before)
  if (isSame || isOlder) return false
  const { key, kind, at, message, data } = changedElsewhereEntry(report, {
    ...(isInPlace && { quantity: decimal(row.quantity) }),
    limitPrice: row.limit_price,
    stopPrice: row.stop_price,
    stopLimitPrice: row.stop_limit_price,
    trail: row.trail,
  })
  await em.execute(
    `with changed as (
       update orders set limit_price = ?, stop_price = ?, stop_limit_price = ?, trail = ?::jsonb,
         quantity = coalesce(?, quantity), changed_at = ?, revision = revision + 1, updated_at = now()
       where id = ? and revision = ? returning id, user_id, account_id, signal_id),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select signal_id, ?, ?, ${noEarlierThanFirst('changed.signal_id')}, ?, ?::jsonb
       from changed where ?::boolean on conflict (signal_id, key) do nothing)
     insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select user_id, account_id, signal_id, ?, ?, ?::jsonb from changed where ?::boolean ${UNLESS_OPEN}`,
    [
      limitPrice,
      stopPrice,
      stopLimitPrice,
      trail && toStorableJson(trail),
      isInPlace ? quantity : null,
      changedAt ?? before,
      row.id,
      row.revision,
      key,
      kind,
      at,
      message,
      toStorableJson(data),
      isInPlace || report.changedBy === 'others',
      kind,
      message,
      toStorableJson(data),
      isInPlace,
    ],
  )
  return true
}

const isSamePrice = (one: Decimal | null, other: Decimal | null): boolean =>
  one === null || other === null ? one === other : compare(one, decimal(other)) === 0
