import { decimal, type Decimal } from '#domain/decimal.ts'
import type { PositionDifference } from '#domain/alert.ts'
import type { EntityManager } from '../engine/database.ts'

/**
 * The symbols of an account of which the broker, as last copied, shows another position than its executions add up to.
 * None while the executions of the account have not been read to the end yet.
 */
export async function positionDifferences(
  em: EntityManager,
  accountId: string,
): Promise<PositionDifference[]> {
  const rows = await em.execute<{ symbol: string; shown: Decimal; executed: Decimal }[]>(
    `select symbol, coalesce(shown, 0)::text as shown, coalesce(executed, 0)::text as executed
     from (
       select symbol, sum(case side when 'LONG' then quantity else -quantity end) as shown
       from positions where account_id = ? group by symbol) p
     full join (
       select symbol, sum(case side when 'LONG' then quantity else -quantity end) as executed
       from trades where account_id = ? and status = 'OPEN' group by symbol) t using (symbol)
     where coalesce(shown, 0) <> coalesce(executed, 0) and exists (select from fill_cursors where account_id = ?)
     order by symbol`,
    [accountId, accountId, accountId],
  )
  return rows.map(({ symbol, shown, executed }) => ({
    symbol,
    shown: decimal(shown),
    executed: decimal(executed),
  }))
}
