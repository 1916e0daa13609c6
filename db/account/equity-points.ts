import type { Decimal } from '#domain/money/decimal.ts'
import { exchangeDaySql, exchangeMidnightSql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import type { TradingMode } from '../entities/user.entity.ts'

const EVERY = `interval '5 minutes'`
const KEPT_FOR = `interval '5 days'`

/** Keeps the first equity of each five minutes. Parameters: account id, twice. */
export const RECORD_EQUITY_POINT = `
  with old as (delete from equity_points where account_id = ? and at < now() - ${KEPT_FOR})
  insert into equity_points (account_id, at, equity)
  select id, date_bin(${EVERY}, now(), 'epoch'), equity from accounts where id = ?
  on conflict (account_id, at) do nothing`

export interface EquityOfDay {
  /** Sum of the accounts with a known beginning; null without one. */
  dayStartEquity: Decimal | null
  points: { at: string; equity: Decimal }[]
}

export async function listEquityToday(
  em: EntityManager,
  userId: string,
  accounts: { accountId: string } | { mode: TradingMode },
): Promise<EquityOfDay> {
  const [condition, value] =
    'accountId' in accounts
      ? ['id = ?', accounts.accountId]
      : ['is_demo = ? and a.is_active', accounts.mode === 'PAPER']
  const today = exchangeDaySql('now()')
  const [row] = await em.execute<EquityOfDay[]>(
    `with mine as materialized (
       select a.id, day.equity as day_start from accounts a
       left join account_day_starts day on day.account_id = a.id and day.day = ${today}
       where a.user_id = ? and a.${condition}),
     points as (
       select p.at from equity_points p join mine on mine.id = p.account_id
       where p.at >= ${exchangeMidnightSql(today)} group by p.at)
     select (select sum(day_start)::text from mine) as "dayStartEquity",
       (select coalesce(json_agg(json_build_object('at', at, 'equity', equity::text) order by at), '[]') from (
          select points.at, sum(coalesce(known.equity, mine.day_start)) as equity
          from points cross join mine left join lateral (
            select p.equity from equity_points p
            where p.account_id = mine.id and p.at <= points.at and p.at >= ${exchangeMidnightSql(today)}
            order by p.at desc limit 1) known on true
          group by points.at) summed) as points`,
    [userId, value],
  )
  return row!
}
