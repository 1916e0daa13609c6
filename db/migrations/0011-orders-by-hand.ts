import { Migration } from '@mikro-orm/migrations'
import { belongsTo } from './row-policy.ts'

/**
 * Manual orders: they are on record before their broker knows of them, have a timeline of their own, and may
 * be asked for under a key that makes a repeated request harmless.
 */
export class ManualOrders extends Migration {
  override up(): void {
    this.addSql(`alter table orders drop constraint orders_role_check`)
    this.addSql(`
      alter table orders
        alter column broker_order_id drop not null,
        add unique (user_id, id),
        add constraint orders_role_check check (role in ('entry', 'exit', 'manual')),
        add constraint orders_placed_by check ((role = 'manual') = (signal_id is null)),
        add constraint orders_at_broker check (role = 'manual' or broker_order_id is not null)`)

    this.addSql(`
      create table idempotent_requests (
        user_id uuid not null references users on delete cascade,
        key text not null check (char_length(key) between 1 and 255),
        request_hash text not null,
        created_at timestamptz not null default now(),
        primary key (user_id, key)
      )`)
    for (const statement of belongsTo('idempotent_requests', 'user_id', 'select, insert'))
      this.addSql(statement)

    this.addSql(`
      create table manual_orders (
        order_id uuid primary key,
        user_id uuid not null,
        asked_side text not null check (asked_side in ('BUY', 'SELL')),
        asked_quantity numeric(20,9) not null check (asked_quantity > 0),
        reduces_only boolean not null,
        request_key text,
        send_before timestamptz not null,
        decision jsonb,
        denial_code text,
        accepted_at timestamptz,
        workflow_started_at timestamptz,
        created_at timestamptz not null,
        foreign key (user_id, order_id) references orders (user_id, id) on delete cascade,
        foreign key (user_id, request_key) references idempotent_requests (user_id, key)
      )`)
    this.addSql(
      `create index manual_orders_unstarted on manual_orders (created_at) where workflow_started_at is null`,
    )
    this.addSql(`
      create index manual_orders_request on manual_orders (user_id, request_key) where request_key is not null`)
    // Orders that are about to take from a position, and that the broker does not count as held yet.
    this.addSql(`
      create index orders_not_at_broker on orders (account_id, symbol) where broker_order_id is null`)
    for (const statement of belongsTo('manual_orders', 'user_id', 'select, insert, update'))
      this.addSql(statement)

    this.addSql(`
      alter table alerts add column order_id uuid,
        add foreign key (user_id, order_id) references orders (user_id, id) on delete cascade`)
    this.addSql(`drop index alerts_open`)
    this.addSql(`
      create unique index alerts_open on alerts (kind, coalesce(signal_id, order_id, account_id))
      where resolved_at is null`)

    this.addSql(`
      create table order_events (
        sequence bigint generated always as identity primary key,
        user_id uuid not null,
        order_id uuid not null,
        key text not null,
        kind text not null,
        at timestamptz not null,
        message text not null,
        data jsonb,
        foreign key (user_id, order_id) references orders (user_id, id) on delete cascade,
        unique (order_id, key)
      )`)
    for (const statement of belongsTo('order_events', 'user_id', 'select, insert')) this.addSql(statement)
  }
}
