import type { EquityPoint, TradeResult } from '#domain/account/performance.ts'
import type { EntityManager } from '../engine/database.ts'
import { exchangeMidnightSql } from '../engine/day-starts.ts'
import { instantOf } from '../engine/query.ts'
import type { TradingMode } from '../entities/user.entity.ts'

export interface ClosedTrade extends TradeResult {
  id: string
  symbol: string
  side: 'LONG' | 'SHORT'
  /** UTC instant. */
  exitAt: string
}

export interface PerformanceRecords {
  accountId: string
  name: string
  /** Oldest first, from the last known day up to the base. */
  days: EquityPoint[]
  trades: ClosedTrade[]
}

/** `base`: day before the period; null: all. */
export async function readPerformanceRecords(
  em: EntityManager,
  userId: string,
  mode: TradingMode,
  base: string | null,
): Promise<PerformanceRecords[]> {
  const rows = await em.execute<
    (Omit<PerformanceRecords, 'days' | 'trades'> & Nullable<Pick<PerformanceRecords, 'days' | 'trades'>>)[]
  >(
    `select a.id as "accountId", a.name,
       (select json_agg(json_build_object('date', s.date::text, 'equity', s.equity::text) order by s.date)
        from balance_snapshots s where s.account_id = a.id and s.date >= coalesce((
          select max(date) from balance_snapshots where account_id = a.id and date <= ?::date), '-infinity')) as days,
       (select json_agg(json_build_object('id', t.id, 'symbol', t.symbol, 'side', t.side,
          'realisedPnl', t.realised_pnl::text, 'exitAt', t.exit_at) order by t.exit_at, t.id)
        from trades t where t.account_id = a.id and t.user_id = a.user_id and t.status = 'CLOSED'
          and t.exit_at >= coalesce(${exchangeMidnightSql('?::date + 1')}, '-infinity')) as trades
     from accounts a where a.user_id = ? and a.is_demo = ? and a.is_active
     order by a.is_primary desc, a.name, a.id`,
    [base, base, userId, mode === 'PAPER'],
  )
  return rows.map((row) => ({
    ...row,
    days: row.days ?? [],
    trades: (row.trades ?? []).map((trade) => ({ ...trade, exitAt: instantOf(trade.exitAt) })),
  }))
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null }
