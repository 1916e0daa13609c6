import { realisedToday, type ClosedToday } from '#domain/account/day-result.ts'
import { add, type Decimal } from '#domain/money/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { exchangeDaySql, TODAY_SQL } from '../engine/day-starts.ts'
import { WORKING } from '../engine/query.ts'
import { signalsOnDaySql } from '../signal/of-day.ts'
import type { TradingMode } from '../entities/user.entity.ts'

/** Dollars. */
/** Amounts in dollars. */
export interface PortfolioSummary {
  equity: Decimal
  cashBalance: Decimal
  buyingPower: Decimal
  marketValue: Decimal
  unrealisedPnl: Decimal
  realisedPnl: Decimal
  /** Today's closed trades, since the later of last close and purchase. */
  realisedToday: Decimal
  /** Trades counted since an earlier purchase: the last close is unknown. */
  wholeToday: number
  /** Equity of the accounts with a known beginning of today; null without one. */
  equityToday: Decimal | null
  dayStartEquity: Decimal | null
  accounts: number
  accountIds: string[]
  openPositions: number
  openOrders: number
  pendingSignals: number
  scheduledSignals: number
  executedToday: number
  refusedToday: number
  asOf: Date | null
}

export async function summarisePortfolio(
  em: EntityManager,
  userId: string,
  mode: TradingMode,
): Promise<PortfolioSummary> {
  const [row] = await em.execute<SummaryRow[]>(
    `with mine as materialized (
       select a.*, day.equity as day_start, day.closes from accounts a
       left join account_day_starts day on day.account_id = a.id and day.day = ${exchangeDaySql('now()')}
       where a.user_id = ? and a.is_demo = ? and a.is_active)
     select coalesce(sum(equity), 0)::text as equity, coalesce(sum(cash_balance), 0)::text as "cashBalance",
       coalesce(sum(buying_power), 0)::text as "buyingPower", coalesce(sum(market_value), 0)::text as "marketValue",
       coalesce(sum(unrealised_pnl), 0)::text as "unrealisedPnl",
       coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
       ${CLOSED_TODAY} as "closedToday",
       coalesce(array_agg(id::text), '{}') as "accountIds",
       (sum(equity) filter (where day_start is not null))::text as "equityToday",
       sum(day_start)::text as "dayStartEquity",
       count(*)::int as accounts,
       (select count(*)::int from positions where account_id in (select id from mine)) as "openPositions",
       (select count(*)::int from orders where account_id in (select id from mine)
          and end_acknowledged_at is null and status in ${WORKING}) as "openOrders",
       ${waiting('pending')} as "pendingSignals", ${waiting('scheduled')} as "scheduledSignals",
       ${today('executed')} as "executedToday", ${today('refused')} as "refusedToday",
       min(last_synced_at) as "asOf"
     from mine`,
    [userId, mode === 'PAPER', userId, userId, userId, userId],
  )
  const { asOf, closedToday, ...figures } = row!
  return {
    ...figures,
    realisedToday: closedToday.map(realisedToday).reduce(add, '0'),
    wholeToday: closedToday.reduce((sum, { whole }) => sum + whole, 0),
    asOf: asOf === null ? null : new Date(asOf),
  }
}

interface SummaryRow extends Omit<PortfolioSummary, 'realisedToday' | 'wholeToday' | 'asOf'> {
  closedToday: (ClosedToday & { whole: number })[]
  asOf: string | null
}

/** The last close is unknown without a sync today, or after a partial close before. */
const CLOSED_TODAY = `
  (select coalesce(json_agg(c), '[]') from (
     select side, sum(quantity)::text as quantity, sum(quantity * exit_price)::text as "exitValue",
       sum(exit_fees)::text as "exitFees", sum(realised_pnl)::text as "realisedPnl", last_close::text as "lastClose",
       (count(*) filter (where was_held and last_close is null))::int as whole
     from (
       select t.*, was_held, case when was_held and not exists (
           select from fills f where f.order_id = any (t.exit_order_ids) and f.at < ${TODAY_SQL})
         then (mine.closes ->> t.symbol)::numeric end as last_close
       from mine join trades t on t.account_id = mine.id
       cross join lateral (select t.entry_at < ${TODAY_SQL} as was_held) o
       where t.status = 'CLOSED' and t.exit_at >= ${TODAY_SQL}) t
     group by account_id, symbol, side, last_close) c)`

const waiting = (status: 'pending' | 'scheduled'): string => `
  (select count(*)::int from signals where user_id = ? and status = '${status}'
     and account_id in (select id from mine))`

const today = (outcome: 'executed' | 'refused'): string =>
  signalsOnDaySql(outcome, '?', exchangeDaySql('now()'))

/** Dollars. */
export interface BalancePoint {
  date: string
  equity: Decimal
  cashBalance: Decimal
  carriedForward: number
}

/** Exchange days, both included; null: no bound. */
export interface Days {
  from: string | null
  to: string | null
}

/** An account counts from its first day, an inactive one until its last. */
export async function listBalances(
  em: EntityManager,
  userId: string,
  accounts: { accountId: string } | { mode: TradingMode },
  { from, to }: Days,
): Promise<BalancePoint[]> {
  const [condition, value] =
    'accountId' in accounts ? ['id = ?', accounts.accountId] : ['is_demo = ?', accounts.mode === 'PAPER']
  return em.execute<BalancePoint[]>(
    `with mine as materialized (select id, is_active from accounts where user_id = ? and ${condition})
     select day.date::text, sum(known.equity)::text as equity, sum(known.cash_balance)::text as "cashBalance",
       (count(*) filter (where known.date < day.date))::int as "carriedForward"
     from (
       select distinct s.date from balance_snapshots s join mine on mine.id = s.account_id
       where s.date between coalesce(?::date, '-infinity') and coalesce(?::date, 'infinity')) day
     cross join mine
     cross join lateral (
       select s.date, s.equity, s.cash_balance from balance_snapshots s
       where s.account_id = mine.id and s.date <= day.date order by s.date desc limit 1) known
     where mine.is_active or known.date = day.date
       or exists (select from balance_snapshots later where later.account_id = mine.id and later.date > day.date)
     group by day.date order by day.date`,
    [userId, value, from, to],
  )
}
