import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { PositionDifference } from '#domain/alert/alert.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { UNDER_WAY, WORKING } from '../engine/query.ts'

/** concernsUs: false for a coin, or shares unrelated to this service. */
export interface FoundDifference extends PositionDifference {
  concernsUs: boolean
}

const CONCERNS_US = `(
  exists (select from trades t where t.account_id = ? and t.symbol = d.symbol
    and (t.status = 'OPEN' or t.exit_at > now() - interval '1 day') and (t.signal_id is not null or t.entry_order_ids <> '{}'))
  or exists (select from signals s where s.account_id = ? and s.symbol = d.symbol
    and (s.status in ${UNDER_WAY} and s.entry_ended_at is null or s.exit_status in ('waiting', 'scheduled', 'submitted')))
  or exists (select from orders o where o.account_id = ? and o.symbol = d.symbol and o.status in ${WORKING})
  or exists (select from alerts a where a.account_id = ? and a.symbol = d.symbol and a.resolved_at is null))`

/**
 * Broker's positions against our executions; none until these were read to the end.
 * @param held positions at the broker; the stored copy unless given
 */
export async function positionDifferences(
  em: EntityManager,
  accountId: string,
  held?: readonly { symbol: string; side: 'LONG' | 'SHORT'; quantity: Decimal }[],
): Promise<FoundDifference[]> {
  const atBroker = held
    ? 'jsonb_to_recordset(?::jsonb) as held (symbol text, side text, quantity numeric)'
    : 'positions where account_id = ?'
  const shown = held
    ? toStorableJson(held.map(({ symbol, side, quantity }) => ({ symbol, side, quantity })))
    : accountId
  const rows = await em.execute<FoundDifference[]>(
    `select d.*, ${CONCERNS_US} as "concernsUs" from (select symbol, coalesce(shown, 0)::text as shown, coalesce(executed, 0)::text as executed
     from (
       select symbol, sum(case side when 'LONG' then quantity else -quantity end) as shown
       from ${atBroker} group by symbol) p
     full join (
       select symbol, sum(case side when 'LONG' then quantity else -quantity end) as executed
       from trades where account_id = ? and status = 'OPEN' group by symbol) t using (symbol)
     where coalesce(shown, 0) <> coalesce(executed, 0) and exists (select from fill_cursors where account_id = ?)) d
     order by symbol`,
    [...Array.from({ length: 4 }, () => accountId), shown, accountId, accountId],
  )
  return rows.map((row) => ({ ...row, shown: decimal(row.shown), executed: decimal(row.executed) }))
}
