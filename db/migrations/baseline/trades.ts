import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const TRADES: string[] = [
  `create table fills (
    account_id uuid,
    execution_id text collate "C",
    user_id uuid not null,
    broker_order_id text collate "C",
    order_id uuid references orders on delete set null,
    symbol text collate "C" not null,
    side text not null check (side in ('BUY', 'SELL')),
    quantity numeric(20,9) not null check (quantity > 0),
    price numeric(20,9) not null check (price >= 0),
    fees numeric(20,9) not null default 0,
    at timestamptz not null,
    order_filled numeric(20,9) not null,
    recorded_at timestamptz not null default now(),
    checkpoint jsonb,
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    primary key (account_id, execution_id)
  )`,
  `create index fills_symbol on fills (account_id, symbol, at)`,
  `create index fills_at on fills (account_id, at)`,
  `create index fills_of_user on fills (user_id, at, account_id, execution_id)`,
  `create index fills_order on fills (order_id)`,
  `create index fills_strange on fills (account_id, recorded_at) where order_id is null`,
  `create index fills_checkpoints on fills (account_id, symbol, at) where checkpoint is not null`,
  `create index fills_broker_order on fills (account_id, broker_order_id)`,
  ...belongsTo('fills', 'user_id', 'select'),

  `create table fees (
    account_id uuid,
    fee_id text collate "C",
    user_id uuid not null,
    execution_id text,
    day date not null,
    amount numeric(20,9) not null,
    kind text not null,
    recorded_at timestamptz not null default now(),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    primary key (account_id, fee_id)
  )`,
  `create index fees_day on fees (account_id, day)`,
  ...belongsTo('fees', 'user_id', 'select'),

  `create table unread_executions (
    account_id uuid,
    execution_id text collate "C",
    user_id uuid not null,
    detail text not null,
    first_seen_at timestamptz not null default now(),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    primary key (account_id, execution_id)
  )`,
  ...belongsTo('unread_executions', 'user_id', 'select'),

  `create table fill_cursors (
    account_id uuid primary key references accounts on delete cascade,
    listed_until timestamptz not null
  )`,

  `create table trades (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    account_id uuid not null,
    symbol text collate "C" not null,
    side text not null check (side in ('LONG', 'SHORT')),
    status text collate "C" not null check (status in ('OPEN', 'CLOSED')),
    quantity numeric(20,9) not null check (quantity > 0),
    entry_price numeric(20,9) not null,
    exit_price numeric(20,9),
    entry_at timestamptz not null,
    exit_at timestamptz,
    realised_pnl numeric,
    realised_pnl_percent numeric,
    fees numeric(20,9) not null,
    exit_fees numeric(20,9) not null default 0,
    strategy_id uuid,
    signal_id uuid,
    entry_order_ids uuid[] not null,
    exit_order_ids uuid[] not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check ((status = 'CLOSED') = (exit_price is not null and exit_at is not null and realised_pnl is not null)),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, strategy_id) references strategies (user_id, id) on delete set null (strategy_id),
    foreign key (user_id, signal_id) references signals (user_id, id) on delete set null (signal_id)
  )`,
  `create index trades_newest on trades (user_id, entry_at desc, id desc)`,
  `create index trades_symbol on trades (account_id, symbol, entry_at)`,
  `create index trades_exit on trades (account_id, exit_at)`,
  `create index trades_strategy on trades (strategy_id) where strategy_id is not null`,
  `create index trades_signal on trades (signal_id) where signal_id is not null`,
  `create index trades_account_id_newest on trades (user_id, account_id, entry_at desc, id desc)`,
  `create index trades_symbol_newest on trades (user_id, symbol, entry_at desc, id desc)`,
  `create index trades_strategy_id_newest on trades (user_id, strategy_id, entry_at desc, id desc)
  where strategy_id is not null`,
  `create index trades_open_newest on trades (user_id, entry_at desc, id desc) where status = 'OPEN'`,
  `create index trades_closed on trades (user_id, exit_at desc, id desc) where status = 'CLOSED'`,
  `create index trades_open on trades (account_id, symbol) where status = 'OPEN'`,
  ...belongsTo('trades', 'user_id', 'select'),
  ...notifiesLive('trades', 'trade', { unseen: ['updated_at'] }),

  `create table fill_amendments (
    account_id uuid,
    execution_id text collate "C",
    user_id uuid not null,
    corrected jsonb,
    amended_at timestamptz not null default now(),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    primary key (account_id, execution_id)
  )`,
  ...belongsTo('fill_amendments', 'user_id', 'select'),
]
