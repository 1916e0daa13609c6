import { Migration } from '@mikro-orm/migrations'
import { belongsTo } from './row-policy.ts'

/** What owners say of a strategy, and the balances with which each day of the exchange has ended. */
export class StrategiesAndSnapshots extends Migration {
  override up(): void {
    this.addSql(`
      alter table strategies
        add column default_account_id uuid,
        add column metadata jsonb not null default '{}',
        add column archived_at timestamptz,
        add foreign key (user_id, default_account_id) references accounts (user_id, id)
          on delete set null (default_account_id)`)
    // Names were free until now: of several equal ones the oldest keeps it.
    this.addSql(`
      update strategies s set name = left(s.name, 80) || ' (' || left(s.id::text, 8) || ')'
      from (select id, row_number() over (partition by user_id, lower(name) order by created_at, id) as place
            from strategies) named
      where named.id = s.id and named.place > 1`)
    this.addSql(
      `create unique index strategies_name on strategies (user_id, lower(name)) where archived_at is null`,
    )
    this.addSql(`create index strategies_newest on strategies (user_id, created_at desc, id desc)`)
    // What a strategy has sent, and what of a user still waits to be sent.
    this.addSql(`
      create index signals_of_strategy on signals (strategy_id, account_id) where strategy_id is not null`)
    this.addSql(`
      create index signals_unsent on signals (user_id, account_id, status)
      where status in ('pending', 'scheduled', 'queued', 'transmitted')`)

    this.addSql(`
      create table balance_snapshots (
        account_id uuid not null,
        user_id uuid not null,
        date date not null,
        equity numeric(20,4) not null,
        cash_balance numeric(20,4) not null,
        taken_at timestamptz not null,
        primary key (account_id, date),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
      )`)
    for (const statement of belongsTo('balance_snapshots', 'user_id', 'select')) this.addSql(statement)
    // With its cash, the first copy of a day's balances can stand for the end of a day that nobody noted.
    this.addSql(`alter table account_day_starts add column cash_balance numeric(20,4)`)
  }
}
