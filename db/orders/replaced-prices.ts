import { isDeepStrictEqual } from 'node:util'
import { compare, decimal, type Decimal } from '#domain/decimal.ts'
import { changedElsewhereEntry } from '#domain/order-changes.ts'
import type { OrderReport } from '#domain/order.ts'
import type { Distance } from '#domain/protection.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { noEarlierThanFirst } from './event-order.ts'

export interface PricesRow {
  id: string
  signal_id: string | null
  revision: number
  limit_price: Decimal | null
  stop_price: Decimal | null
  stop_limit_price: Decimal | null
  trail: Distance | null
  changed_at: StoredInstant | null
}

export const ORDER_PRICES = `limit_price::text, stop_price::text, stop_limit_price::text, trail, changed_at`

/** True when other prices were taken over; unrequested ones are noted on the timeline, older reports ignored. */
export async function followChange(em: EntityManager, row: PricesRow, report: OrderReport): Promise<boolean> {
  const { limitPrice, stopPrice, stopLimitPrice = null, trail = null, changedAt } = report
  if (!report.links || changedAt === undefined) return false
  const isSame =
    isSamePrice(limitPrice, row.limit_price) &&
    isSamePrice(stopPrice, row.stop_price) &&
    isSamePrice(stopLimitPrice, row.stop_limit_price) &&
    isDeepStrictEqual(trail, row.trail)
  const before = instantOrNull(row.changed_at)
  if (isSame || (before !== null && changedAt <= before)) return false
  const { key, kind, at, message, data } = changedElsewhereEntry(report, {
    limitPrice: row.limit_price,
    stopPrice: row.stop_price,
    stopLimitPrice: row.stop_limit_price,
    trail: row.trail,
  })
  const [table, subject] =
    row.signal_id === null
      ? (['order_events', 'order_id'] as const)
      : (['signal_events', 'signal_id'] as const)
  const [owner, ownerId] = row.signal_id === null ? ['user_id, ', 'id'] : ['', 'signal_id']
  await em.execute(
    `with changed as (
       update orders set limit_price = ?, stop_price = ?, stop_limit_price = ?, trail = ?::jsonb,
         changed_at = ?, revision = revision + 1, updated_at = now()
       where id = ? and revision = ? returning id, user_id, signal_id)
     insert into ${table} (${owner}${subject}, key, kind, at, message, data)
     select ${owner}${ownerId}, ?, ?, ${noEarlierThanFirst(table, `changed.${ownerId}`)}, ?, ?::jsonb
     from changed where ?::boolean on conflict (${subject}, key) do nothing`,
    [
      limitPrice,
      stopPrice,
      stopLimitPrice,
      trail && toStorableJson(trail),
      changedAt,
      row.id,
      row.revision,
      key,
      kind,
      at,
      message,
      toStorableJson(data),
      report.changedBy === 'others',
    ],
  )
  return true
}

const isSamePrice = (one: Decimal | null, other: Decimal | null): boolean =>
  one === null || other === null ? one === other : compare(one, decimal(other)) === 0
