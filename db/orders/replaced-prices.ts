import { isDeepStrictEqual } from 'node:util'
import { compare, decimal, type Decimal } from '#domain/decimal.ts'
import { changedElsewhereEntry } from '#domain/order-changes.ts'
import { isReplaced, type ExecutedLink } from '#domain/order-executions.ts'
import type { OrderReport } from '#domain/order.ts'
import type { Distance } from '#domain/protection.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { UNLESS_OPEN } from '../risk/alerts.ts'
import { noEarlierThanFirst } from './event-order.ts'

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
 * True when other figures were taken over, and older reports are ignored. A change that was not asked for here is noted
 * on the timeline; one without a replacement, which no person can make, alerts the owner: as after a split.
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
