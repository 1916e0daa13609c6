import { Migration } from '@mikro-orm/migrations'

/** Users, their connections and accounts, and the life of a signal. */
export class Spine extends Migration {
  override up(): void {
    this.addSql(`
      create table users (
        id uuid primary key,
        email text not null,
        role text not null check (role in ('admin', 'member')),
        plan text not null check (plan in ('FREE', 'BASIC', 'ADVANCED', 'PRO')),
        password_hash text,
        trading_mode text not null default 'PAPER' check (trading_mode in ('PAPER', 'LIVE')),
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`)
    this.addSql(`create unique index users_email on users (lower(email))`)

    this.addSql(`
      create table access_tokens (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        label text not null,
        hash text not null unique,
        prefix text not null,
        scopes text[] not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index access_tokens_user on access_tokens (user_id)`)

    this.addSql(`
      create table broker_connections (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        broker_type text not null,
        name text not null,
        base_url text not null,
        credentials jsonb not null,
        status text not null check (status in ('connected', 'error')),
        status_detail text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (user_id, id)
      )`)

    this.addSql(`
      create table accounts (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        broker_id uuid not null,
        broker_account_id text not null,
        name text not null,
        type text not null check (type in ('MARGIN', 'CASH', 'IRA')),
        currency text not null,
        equity numeric(20,4) not null default 0,
        cash_balance numeric(20,4) not null default 0,
        buying_power numeric(20,4) not null default 0,
        day_trading_buying_power numeric(20,4),
        market_value numeric(20,4) not null default 0,
        unrealised_pnl numeric(20,4) not null default 0,
        realised_pnl numeric(20,4) not null default 0,
        is_active boolean not null default true,
        is_demo boolean not null,
        is_primary boolean not null default false,
        last_synced_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        foreign key (user_id, broker_id) references broker_connections (user_id, id) on delete cascade,
        unique (user_id, id),
        unique (broker_id, broker_account_id)
      )`)
    this.addSql(`create unique index accounts_one_primary on accounts (user_id) where is_primary`)

    this.addSql(`
      create table strategies (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        name text not null,
        description text,
        status text not null default 'active' check (status in ('active', 'paused')),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (user_id, id)
      )`)

    this.addSql(`
      create table signals (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        account_id uuid not null,
        strategy_id uuid,
        source_id text check (char_length(source_id) between 1 and 255),
        payload_hash text not null,
        symbol text not null,
        action text not null check (action in ('openLong', 'closeLong', 'openShort', 'closeShort')),
        quantity numeric(20,9) not null check (quantity > 0),
        quantity_type text not null,
        execute_mode text not null,
        order_type text not null,
        limit_price numeric(20,9),
        stop_price numeric(20,9),
        time_in_force text not null,
        expires_at timestamptz,
        extended_hours boolean not null,
        scheduled_at timestamptz,
        valid_until timestamptz,
        timezone text,
        exit_rule jsonb,
        metadata jsonb,
        advisories jsonb not null default '[]',
        status text not null check (status in
          ('pending', 'scheduled', 'queued', 'transmitted', 'executed', 'rejected', 'cancelled', 'error')),
        status_reason text,
        status_detail text,
        order_id uuid,
        filled_quantity numeric(20,9) not null default 0,
        avg_fill_price numeric(20,9),
        exit_status text check (exit_status in
          ('waiting', 'scheduled', 'submitted', 'filled', 'partially_filled', 'cancelled', 'failed')),
        exit_submit_at timestamptz,
        exit_order_id uuid,
        exit_reason text,
        accepted_at timestamptz not null,
        send_before timestamptz,
        workflow_started_at timestamptz,
        updated_at timestamptz not null default now(),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        foreign key (user_id, strategy_id) references strategies (user_id, id),
        unique (user_id, id)
      )`)
    this.addSql(`
      create unique index signals_source on signals (account_id, source_id)
      where source_id is not null and status not in ('rejected', 'cancelled', 'error')`)
    this.addSql(`create index signals_newest on signals (user_id, accepted_at desc, id desc)`)
    this.addSql(`create index signals_account_newest on signals (account_id, accepted_at desc, id desc)`)
    this.addSql(`create index signals_unstarted on signals (accepted_at) where workflow_started_at is null`)

    this.addSql(`
      create table signal_events (
        sequence bigint generated always as identity primary key,
        signal_id uuid not null references signals on delete cascade,
        key text not null,
        kind text not null,
        at timestamptz not null,
        message text not null,
        data jsonb,
        unique (signal_id, key)
      )`)

    this.addSql(`
      create table orders (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        account_id uuid not null,
        signal_id uuid,
        role text not null check (role in ('entry', 'exit')),
        client_order_id text not null unique,
        broker_order_id text not null,
        symbol text not null,
        side text not null check (side in ('BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT')),
        order_type text not null,
        quantity numeric(20,9) not null check (quantity > 0),
        limit_price numeric(20,9),
        stop_price numeric(20,9),
        time_in_force text not null,
        extended_hours boolean not null,
        status text not null check (status in
          ('PENDING', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')),
        filled_quantity numeric(20,9) not null default 0,
        avg_fill_price numeric(20,9),
        reason text,
        submitted_at timestamptz not null,
        filled_at timestamptz,
        end_acknowledged_at timestamptz,
        revision integer not null default 1,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade,
        unique (account_id, broker_order_id)
      )`)
    this.addSql(`create index orders_newest on orders (user_id, created_at desc, id desc)`)
    this.addSql(`create index orders_signal on orders (signal_id)`)
    this.addSql(
      `create index orders_end_unacknowledged on orders (account_id) where end_acknowledged_at is null`,
    )

    this.addSql(`
      create table positions (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        account_id uuid not null,
        symbol text not null,
        side text not null check (side in ('LONG', 'SHORT')),
        quantity numeric(20,9) not null check (quantity > 0),
        avg_cost numeric(20,9) not null,
        current_price numeric(20,9) not null,
        market_value numeric(20,4) not null,
        unrealised_pnl numeric(20,4) not null,
        unrealised_pnl_percent numeric(20,6) not null,
        day_change numeric(20,9),
        day_change_percent numeric(20,6),
        updated_at timestamptz not null default now(),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        unique (account_id, symbol)
      )`)
    this.addSql(`create index positions_user on positions (user_id)`)
  }
}
