import type { Decimal } from '#domain/money/decimal.ts'
import type { ActiveHalt } from '#domain/risk/halt.ts'
import { exchangeDaySql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import { WORKING } from '../engine/query.ts'
import { activeHaltSql } from '../risk/halts.ts'

/** Amounts in the account's currency. */
export interface AccountSummary {
  id: string
  name: string
  currency: string
  isDemo: boolean
  isActive: boolean
  isPrimary: boolean
  equity: Decimal
  cashBalance: Decimal
  buyingPower: Decimal
  dayTradingBuyingPower: Decimal | null
  marketValue: Decimal
  unrealisedPnl: Decimal
  realisedPnl: Decimal
  /** Null when the day's beginning is unknown. */
  dayStartEquity: Decimal | null
  openPositions: number
  /** Both positive. */
  longValue: Decimal
  shortValue: Decimal
  openOrders: number
  broker: {
    id: string
    name: string
    brokerType: string
    status: 'connected' | 'error'
    statusDetail: string | null
    lastCheckedAt: string | null
  }
  halt: ActiveHalt | null
  /** UTC instant. */
  lastSyncedAt: string | null
}

export async function findAccountSummary(
  em: EntityManager,
  userId: string,
  accountId: string,
): Promise<AccountSummary | null> {
  const [row] = await em.execute<{ summary: AccountSummary }[]>(
    `select json_build_object(
       'id', a.id, 'name', a.name, 'currency', a.currency,
       'isDemo', a.is_demo, 'isActive', a.is_active, 'isPrimary', a.is_primary,
       'equity', a.equity::text, 'cashBalance', a.cash_balance::text, 'buyingPower', a.buying_power::text,
       'dayTradingBuyingPower', a.day_trading_buying_power::text, 'marketValue', a.market_value::text,
       'unrealisedPnl', a.unrealised_pnl::text, 'realisedPnl', a.realised_pnl::text,
       'dayStartEquity', (
         select d.equity::text from account_day_starts d
         where d.account_id = a.id and d.day = ${exchangeDaySql('now()')}),
       'openPositions', held.positions, 'longValue', held.long_value::text, 'shortValue', held.short_value::text,
       'openOrders', (
         select count(*) from orders o
         where o.account_id = a.id and o.end_acknowledged_at is null
           and o.status in ${WORKING}),
       'broker', json_build_object(
         'id', b.id, 'name', b.name, 'brokerType', b.broker_type, 'status', b.status,
         'statusDetail', b.status_detail, 'lastCheckedAt', b.last_checked_at),
       'halt', ${activeHaltSql('a.user_id', 'a.id')},
       'lastSyncedAt', a.last_synced_at) as summary
     from accounts a
     join broker_connections b on b.id = a.broker_id
     cross join lateral (
       select count(*) as positions,
         coalesce(sum(p.market_value) filter (where p.side = 'LONG'), 0) as long_value,
         coalesce(-sum(p.market_value) filter (where p.side = 'SHORT'), 0) as short_value
       from positions p where p.account_id = a.id) held
     where a.id = ? and a.user_id = ?`,
    [accountId, userId],
  )
  return row?.summary ?? null
}
