import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

export interface BrokerInUse {
  brokerType: string
  accountIds: string[]
}

export async function listBrokersInUse(em: EntityManager): Promise<BrokerInUse[]> {
  return em.execute<BrokerInUse[]>(
    `select b.broker_type as "brokerType",
       (array_agg(a.id::text order by (b.status = 'connected') desc, a.last_synced_at desc nulls last))[:3] as "accountIds"
     from accounts a join broker_connections b on b.id = a.broker_id
     where a.is_active group by b.broker_type order by b.broker_type`,
  )
}

export async function listAccountsWithoutSnapshot(
  em: EntityManager,
  brokerType: string,
  date: string,
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select a.id from accounts a join broker_connections b on b.id = a.broker_id
     where a.is_active and b.broker_type = ?
       and not exists (select from balance_snapshots s where s.account_id = a.id and s.date = ?::date)
     order by a.created_at, a.id`,
    [brokerType, date],
  )
  return rows.map(({ id }) => id)
}

export async function countSnapshots(
  em: EntityManager,
  brokerType: string,
  date: string,
): Promise<{ recorded: number; missing: number }> {
  const [row] = await em.execute<{ recorded: number; missing: number }[]>(
    `select count(s.account_id)::int as recorded, (count(*) - count(s.account_id))::int as missing
     from accounts a join broker_connections b on b.id = a.broker_id
     left join balance_snapshots s on s.account_id = a.id and s.date = ?::date
     where a.is_active and b.broker_type = ?`,
    [date, brokerType],
  )
  return row!
}

/** Dollars. The first record of a day remains. */
export async function recordBalanceSnapshot(
  em: EntityManager,
  { accountId, date, equity, cashBalance }: BalanceSnapshot,
): Promise<void> {
  await em.execute(
    `insert into balance_snapshots (account_id, user_id, date, equity, cash_balance, taken_at)
     select id, user_id, ?::date, ?, ?, now() from accounts where id = ?
     on conflict (account_id, date) do nothing`,
    [date, equity, cashBalance, accountId],
  )
}

export interface BalanceSnapshot {
  accountId: string
  /** Exchange day, YYYY-MM-DD. */
  date: string
  equity: Decimal
  cashBalance: Decimal
}

/** Uses the first balances before the next opening; returns the number. */
export async function fillFromDayStarts(
  em: EntityManager,
  brokerType: string,
  windows: readonly SnapshotWindow[],
): Promise<number> {
  const rows = await em.execute<unknown[]>(
    `insert into balance_snapshots (account_id, user_id, date, equity, cash_balance, taken_at)
     select a.id, a.user_id, w.date, known.equity, known.cash_balance, known.recorded_at
     from json_to_recordset(?::json) as w (date date, "from" timestamptz, until timestamptz)
     cross join accounts a join broker_connections b on b.id = a.broker_id
     cross join lateral (
       select equity, cash_balance, recorded_at from account_day_starts d
       where d.account_id = a.id and d.cash_balance is not null
         and d.day between w.date and (w.until at time zone 'UTC')::date + 1
         and d.recorded_at >= w."from" and d.recorded_at < w.until
       order by d.recorded_at limit 1) known
     where b.broker_type = ?
     on conflict (account_id, date) do nothing returning account_id`,
    [toStorableJson(windows), brokerType],
  )
  return rows.length
}
