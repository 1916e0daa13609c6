import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull, type StoredInstant, WORKING } from '../engine/query.ts'
import { queryRows } from '../engine/row-security.ts'
import { OWNING_SIGNAL } from './execution-attribution.ts'

export interface Cover {
  accountId: string
  symbol: string
  side: TradeSide
  /** plan: levels. exit: an exit waiting for its time. order: an open order of neither. */
  kind: 'plan' | 'exit' | 'order'
  signalId: string | null
  orderId: string | null
  quantity: Decimal
  /** UTC instant at which the exit is sent, where known. */
  at: string | null
}

/** SQL: shares of `s` that exits have not closed. */
const LEFT = `greatest(s.filled_quantity - coalesce((
  select sum(o.filled_quantity) from orders o where o.signal_id = s.id and o.role = 'exit'), 0), 0)`
const SIDE = `case s.action when 'openLong' then 'LONG' else 'SHORT' end`
/** SQL condition on `s`: an exit waits to close the entry. */
const EXIT_WAITS = `s.exit_status in ('waiting', 'scheduled') and s.action in ('openLong', 'openShort') and s.filled_quantity > 0`
const hasProtection = (id: string): string =>
  `exists (select from protections p where p.signal_id = ${id} and p.ended_at is null)`

/** SQL. Shares count once: by levels, else the waiting exit, else the order. `of`: condition on an alias. */
export const coverSql = (of: (alias: string) => string): string => `
  select p.account_id, p.symbol, p.side, 'plan' as kind, p.signal_id, null::uuid as order_id, ${LEFT} as quantity,
    s.exit_submit_at as at
  from protections p join signals s on s.id = p.signal_id
  where p.ended_at is null and ${of('p')}
  union all
  select s.account_id, s.symbol, ${SIDE}, 'exit', s.id, null, ${LEFT}, s.exit_submit_at
  from signals s where ${EXIT_WAITS} and ${of('s')} and not ${hasProtection('s.id')}
  union all
  select o.account_id, o.symbol, case o.side when 'SELL' then 'LONG' else 'SHORT' end, 'order', ${OWNING_SIGNAL}, o.id,
    o.quantity - o.filled_quantity, null
  from orders o
  where o.status in ${WORKING} and o.end_acknowledged_at is null and o.side in ('SELL', 'BUY_TO_COVER') and ${of('o')}
    and not ${hasProtection('o.signal_id')}
    and not exists (select from signals s where s.id = o.signal_id and ${EXIT_WAITS})`

export async function listCovers(em: EntityManager, userId: string): Promise<Cover[]> {
  const rows = await queryRows<Omit<Cover, 'at'> & { at: StoredInstant | null }>(
    em,
    `select account_id as "accountId", symbol, side, kind, signal_id as "signalId", order_id as "orderId",
       quantity::text as quantity, at
     from (${coverSql((alias) => `${alias}.user_id = ?`)}) c where quantity > 0`,
    [userId, userId, userId],
  )
  return rows.map(({ at, quantity, ...same }) => ({
    ...same,
    quantity: decimal(quantity),
    at: instantOrNull(at),
  }))
}

export const POSITIONS_BY_COVER = `
  select a.is_demo, (count(*) filter (where covered >= held.quantity))::int as protected,
    (count(*) filter (where covered < held.quantity))::int as unprotected
  from positions held join accounts a on a.id = held.account_id and a.is_active
  cross join lateral (
    select coalesce(sum(c.quantity), 0) as covered
    from (${coverSql((alias) => `${alias}.account_id = held.account_id and ${alias}.symbol = held.symbol`)}) c
    where c.side = held.side) cover
  group by a.is_demo`
