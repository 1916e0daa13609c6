import { Migration } from '@mikro-orm/migrations'

/** The kill switch, the risk limits of accounts, and the count of orders that left. */
export class Risk extends Migration {
  override up(): void {
    this.addSql(`
      create table trading_halts (
        id bigint generated always as identity primary key,
        scope text not null check (scope in ('global', 'user', 'account')),
        user_id uuid references users on delete cascade,
        account_id uuid,
        level text not null check (level in ('pauseEntries', 'reduceOnly', 'fullStop')),
        reason text not null,
        set_by text not null,
        set_at timestamptz not null default now(),
        lifted_by text,
        lifted_at timestamptz,
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        check ((scope = 'global') = (user_id is null)),
        check ((scope = 'account') = (account_id is not null)),
        check ((lifted_by is null) = (lifted_at is null))
      )`)
    // At most one stands for each whom it binds, and those that stand are found without reading the history.
    this.addSql(`
      create unique index trading_halts_active on trading_halts
        (coalesce(account_id, user_id, '00000000-0000-0000-0000-000000000000')) where lifted_at is null`)
    this.addSql(`create index trading_halts_history on trading_halts (user_id, id desc)`)

    this.addSql(`
      create table risk_settings (
        account_id uuid primary key,
        user_id uuid not null,
        limits jsonb not null,
        updated_at timestamptz not null default now(),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
      )`)

    this.addSql(`
      create table account_day_starts (
        account_id uuid not null references accounts on delete cascade,
        day date not null,
        equity numeric(20,4) not null,
        recorded_at timestamptz not null default now(),
        primary key (account_id, day)
      )`)

    // Not logged, because a write waits for every order: a crash of the server empties both, and counting
    // begins anew. The halt that they bring about is logged.
    this.addSql(`
      create unlogged table orders_out (
        client_order_id text primary key,
        account_id uuid not null,
        reducing boolean not null,
        registered_at timestamptz not null
      )`)
    this.addSql(`create index orders_out_age on orders_out (registered_at)`)
    this.addSql(`
      create unlogged table order_rates (
        account_id uuid not null,
        reducing boolean not null,
        minute timestamptz not null,
        minute_count integer not null,
        minute_cap integer not null,
        day date not null,
        day_count integer not null,
        day_cap integer not null,
        primary key (account_id, reducing),
        constraint order_rates_minute check (minute_count <= minute_cap),
        constraint order_rates_day check (day_count <= day_cap)
      ) with (fillfactor = 50)`)

    // What filled since an account was last synced, and so does not show in its positions yet.
    this.addSql(`
      create index orders_filled on orders (account_id, symbol, filled_at desc) where filled_at is not null`)
  }
}
