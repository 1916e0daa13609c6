import type { Decimal } from '#domain/money/decimal.ts'
import { exchangeDaySql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'

export interface RiskUsage {
  accountId: string
  ordersThisMinute: number
  ordersToday: number
  /** Dollars lost since the exchange day began, below 0: gained; null where its start is unknown. */
  lossToday: Decimal | null
  dayStartEquity: Decimal | null
  /** Positions only, without open orders. */
  mostShares: HeldMost | null
  mostValue: HeldMost | null
}

interface HeldMost {
  symbol: string
  /** Shares or dollars. */
  amount: Decimal
}

export const listRiskUsage = (em: EntityManager, userId: string): Promise<RiskUsage[]> =>
  em.execute<RiskUsage[]>(
    `select a.id as "accountId",
       case when rate.minute = date_trunc('minute', now()) then rate.minute_count else 0 end as "ordersThisMinute",
       case when rate.day = ${exchangeDaySql('now()')} then rate.day_count else 0 end as "ordersToday",
       (day_start.equity - a.equity)::text as "lossToday", day_start.equity::text as "dayStartEquity",
       ${mostSql('quantity')} as "mostShares", ${mostSql('market_value')} as "mostValue"
     from accounts a
     left join account_day_starts day_start
       on day_start.account_id = a.id and day_start.day = ${exchangeDaySql('now()')}
     left join order_rates rate on rate.account_id = a.id and not rate.reducing
     where a.user_id = ? order by a.is_primary desc, a.name, a.id`,
    [userId],
  )

const mostSql = (column: 'quantity' | 'market_value'): string => `
  (select json_build_object('symbol', symbol, 'amount', abs(${column})::text) from positions
   where account_id = a.id order by abs(${column}) desc limit 1)`
