import { compare, type Decimal } from '#domain/money/decimal.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

export interface NewAdopted {
  id: string
  userId: string
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares without an owner at `received`, by the database's clock. */
  quantity: Decimal
  /** Dollars a share. */
  average: Decimal
  protection: Protection
  received: TimelineEntry
  by: string
  tokenId: string | null
}

/** The workflow begins with the exit. False where the shares are adopted already. */
export async function insertAdopted(
  em: EntityManager,
  { side, protection, received, average, ...adopted }: NewAdopted,
): Promise<boolean> {
  const { id, userId, accountId, symbol, quantity, by, tokenId } = adopted
  const rows = await queryRows<object>(
    em,
    `with accepted as (
       insert into signals (id, user_id, account_id, origin, token_id, sent_by, payload_hash, symbol, action, quantity, quantity_type,
         execute_mode, order_type, time_in_force, extended_hours, protection, status, filled_quantity, avg_fill_price, accepted_at,
         entry_ended_at, queued_at)
       values (?, ?, ?, 'adopted', ?::uuid, ?, '', ?, ?, ?::numeric, 'fixed', 'immediate', 'market', 'day', false, ?::jsonb, 'executed',
         ?::numeric, ?::numeric, ?::timestamptz, ?::timestamptz, null)
       on conflict (account_id, symbol) where origin = 'adopted' and closings = 0 do nothing returning id),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, ?::timestamptz, ?, ?::jsonb from accepted)
     select id from accepted`,
    [
      id,
      userId,
      accountId,
      tokenId,
      by,
      symbol,
      side === 'LONG' ? 'openLong' : 'openShort',
      quantity,
      toStorableJson(protection),
      quantity,
      average,
      received.at,
      received.at,
      received.key,
      received.kind,
      received.at,
      received.message,
      toStorableJson(received.data ?? {}),
    ],
  )
  return rows.length > 0
}

export async function findAdopter(
  em: EntityManager,
  accountId: string,
  symbol: string,
): Promise<string | null> {
  const [row] = await queryRows<{ id: string }>(
    em,
    `select id from signals where account_id = ? and symbol = ? and origin = 'adopted' and closings = 0`,
    [accountId, symbol],
  )
  return row?.id ?? null
}

/**
 * Shares bought by hand or elsewhere since count as filled, even if sold, at the position's average price. Null: no
 * more than `filled`. Safe to repeat.
 */
export async function growAdopted(
  em: EntityManager,
  { signalId, filled }: { signalId: string; filled: Decimal },
): Promise<{ filled: Decimal; average: Decimal } | null> {
  const [row] = await em.execute<{ filled: Decimal; average: Decimal }[]>(
    `with present as (
       select s.id, s.quantity + coalesce((select sum(f.quantity) from fills f left join orders o on o.id = f.order_id
           where f.account_id = s.account_id and f.symbol = s.symbol and f.recorded_at >= s.accepted_at
             and f.side = case s.action when 'openLong' then 'BUY' else 'SELL' end
             and (o.id is null or o.role = 'manual')), 0) as filled,
         coalesce((select p.avg_cost from positions p where p.account_id = s.account_id and p.symbol = s.symbol
           and p.side = case s.action when 'openLong' then 'LONG' else 'SHORT' end), s.avg_fill_price) as average
       from signals s where s.id = ?),
     grown as (
       update signals s set filled_quantity = filled, avg_fill_price = average, updated_at = now() from present
       where s.id = present.id and (s.filled_quantity <> filled or s.avg_fill_price <> average))
     select trim_scale(filled)::text as filled, trim_scale(average)::text as average from present`,
    [signalId],
  )
  return row && compare(row.filled, filled) > 0 ? row : null
}
