import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const ACCOUNTS: string[] = [
  // A removed connection keeps its row, without keys.
  `create table broker_connections (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    broker_type text not null,
    name text not null,
    base_url text not null,
    status text not null check (status in ('connected', 'error')),
    status_detail text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    sealed_credentials text,
    last_checked_at timestamptz,
    failing_since timestamptz,
    unanswered_since timestamptz,
    deleted_at timestamptz,
    constraint broker_connections_credentials check ((deleted_at is null) = (sealed_credentials is not null)),
    unique (user_id, id)
  )`,
  ...belongsTo('broker_connections', 'user_id', 'select, insert, update, delete'),
  `create function broker_connections_notify_live() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    seen broker_connections%rowtype;
  begin
    if tg_op = 'DELETE' then
      perform notify_live(old.user_id, null, 'broker', old.id);
      return null;
    end if;
    if tg_op = 'UPDATE' then
      seen := new;
      seen.updated_at := old.updated_at; seen.last_checked_at := old.last_checked_at; seen.sealed_credentials := old.sealed_credentials;
      if seen is not distinct from old then return null; end if;
    end if;
    perform notify_live(new.user_id, null, 'broker', new.id);
    return null;
  end
  $$`,
  `create trigger broker_connections_live after insert or delete or update on broker_connections
  for each row execute function broker_connections_notify_live()`,

  `create table accounts (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    broker_id uuid not null,
    broker_account_id text collate "C" not null,
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
    flat_by_close jsonb check (jsonb_typeof(flat_by_close) = 'object'),
    last_synced_at timestamptz,
    permissions jsonb,
    equity_record jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    foreign key (user_id, broker_id) references broker_connections (user_id, id) on delete cascade,
    unique (user_id, id),
    unique (broker_id, broker_account_id)
  )`,
  `create unique index accounts_one_primary on accounts (user_id) where is_primary`,
  `create index accounts_of_connection on accounts (broker_id)`,
  `create index accounts_sync_due on accounts (last_synced_at) where is_active`,
  ...belongsTo('accounts', 'user_id', 'select, insert, update, delete'),
  ...notifiesLive('accounts', 'account', {
    account: 'id',
    unseen: ['updated_at', 'last_synced_at', 'equity_record'],
  }),
  // Users see only whether another follows the same account.
  `create function account_is_shared(asking uuid, wanted_type text, wanted_url text, wanted_account text) returns boolean
  language sql stable security definer set search_path = public, pg_temp as $$
    select exists (
      select from accounts a join broker_connections b on b.id = a.broker_id
      where a.user_id <> asking and b.broker_type = wanted_type and b.base_url = wanted_url
        and a.broker_account_id = wanted_account and b.deleted_at is null)
  $$`,

  `create table positions (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    account_id uuid not null,
    symbol text collate "C" not null,
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
  )`,
  `create index positions_user on positions (user_id)`,
  ...belongsTo('positions', 'user_id', 'select, insert, update, delete'),
  ...notifiesLive('positions', 'position', { unseen: ['updated_at'] }),

  `create table account_day_starts (
    account_id uuid references accounts on delete cascade,
    day date,
    equity numeric(20,4) not null,
    recorded_at timestamptz not null default now(),
    cash_balance numeric(20,4),
    closes jsonb not null default '{}',
    primary key (account_id, day)
  )`,
  `grant select, insert, update on account_day_starts to durable_trader_member`,
  `alter table account_day_starts enable row level security`,
  `create policy own_rows on account_day_starts to durable_trader_member
    using (exists (select from accounts a where a.id = account_day_starts.account_id))`,

  `create table equity_points (
    account_id uuid references accounts on delete cascade,
    at timestamptz,
    equity numeric(20,4) not null,
    primary key (account_id, at)
  )`,
  `grant select, insert, delete on equity_points to durable_trader_member`,
  `alter table equity_points enable row level security`,
  `create policy own_rows on equity_points to durable_trader_member
    using (exists (select from accounts a where a.id = equity_points.account_id))`,

  `create table balance_snapshots (
    account_id uuid,
    user_id uuid not null,
    date date,
    equity numeric(20,4) not null,
    cash_balance numeric(20,4) not null,
    taken_at timestamptz not null,
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    primary key (account_id, date)
  )`,
  `create index balance_snapshots_of_user on balance_snapshots (user_id, taken_at, account_id, date)`,
  ...belongsTo('balance_snapshots', 'user_id', 'select'),
]
