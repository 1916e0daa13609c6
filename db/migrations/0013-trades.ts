import { Migration } from '@mikro-orm/migrations'
import { belongsTo } from './row-policy.ts'

/** What was executed at brokers, what it cost, and the trades that it adds up to. */
export class Trades extends Migration {
  override up(): void {
    // order_filled tells executions of one instant apart; flat_after marks where nothing was held.
    this.addSql(`
      create table fills (
        account_id uuid not null,
        execution_id text not null,
        user_id uuid not null,
        broker_order_id text,
        order_id uuid references orders on delete set null,
        symbol text not null,
        side text not null check (side in ('BUY', 'SELL')),
        quantity numeric(20,9) not null check (quantity > 0),
        price numeric(20,9) not null check (price >= 0),
        fees numeric(20,9) not null default 0,
        at timestamptz not null,
        order_filled numeric(20,9) not null,
        flat_after boolean not null default false,
        recorded_at timestamptz not null default now(),
        primary key (account_id, execution_id),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
      )`)
    this.addSql(`create index fills_symbol on fills (account_id, symbol, at)`)
    this.addSql(`create index fills_at on fills (account_id, at)`)
    this.addSql(`create index fills_order on fills (order_id)`)
    this.addSql(`create index fills_flat on fills (account_id, symbol, at) where flat_after`)
    this.addSql(`create index fills_strange on fills (account_id) where order_id is null`)
    for (const statement of belongsTo('fills', 'user_id', 'select')) this.addSql(statement)

    this.addSql(`
      create table fees (
        account_id uuid not null,
        fee_id text not null,
        user_id uuid not null,
        execution_id text,
        day date not null,
        amount numeric(20,9) not null,
        kind text not null,
        recorded_at timestamptz not null default now(),
        primary key (account_id, fee_id),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
      )`)
    this.addSql(`create index fees_day on fees (account_id, day)`)
    for (const statement of belongsTo('fees', 'user_id', 'select')) this.addSql(statement)

    // How far an account's executions have been read; whoever writes them holds this row.
    this.addSql(`
      create table fill_cursors (
        account_id uuid primary key references accounts on delete cascade,
        listed_until timestamptz not null
      )`)

    this.addSql(`
      create table trades (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        account_id uuid not null,
        symbol text not null,
        side text not null check (side in ('LONG', 'SHORT')),
        status text not null check (status in ('OPEN', 'CLOSED')),
        quantity numeric(20,9) not null check (quantity > 0),
        entry_price numeric(20,9) not null,
        exit_price numeric(20,9),
        entry_at timestamptz not null,
        exit_at timestamptz,
        realised_pnl numeric,
        realised_pnl_percent numeric,
        fees numeric(20,9) not null,
        strategy_id uuid,
        signal_id uuid,
        entry_order_ids uuid[] not null,
        exit_order_ids uuid[] not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        foreign key (user_id, strategy_id) references strategies (user_id, id) on delete set null (strategy_id),
        foreign key (user_id, signal_id) references signals (user_id, id) on delete set null (signal_id),
        check ((status = 'CLOSED') = (exit_price is not null and exit_at is not null and realised_pnl is not null))
      )`)
    this.addSql(`create index trades_newest on trades (user_id, entry_at desc, id desc)`)
    this.addSql(`create index trades_symbol on trades (account_id, symbol, entry_at)`)
    this.addSql(`create index trades_exit on trades (account_id, exit_at)`)
    this.addSql(`create index trades_strategy on trades (strategy_id) where strategy_id is not null`)
    this.addSql(`create index trades_signal on trades (signal_id) where signal_id is not null`)
    for (const statement of belongsTo('trades', 'user_id', 'select')) this.addSql(statement)
  }
}
