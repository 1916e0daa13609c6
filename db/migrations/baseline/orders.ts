import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const ORDERS: string[] = [
  `create table orders (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    account_id uuid not null,
    signal_id uuid not null,
    role text collate "C" not null check (role in ('entry', 'exit', 'manual')),
    client_order_id text collate "C" not null unique,
    broker_order_id text collate "C",
    symbol text collate "C" not null,
    side text not null check (side in ('BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT')),
    order_type text not null,
    quantity numeric(20,9) not null check (quantity > 0),
    limit_price numeric(20,9),
    stop_price numeric(20,9),
    stop_limit_price numeric(20,9),
    trail jsonb,
    time_in_force text not null,
    extended_hours boolean not null,
    status text collate "C" not null
        check (status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')),
    filled_quantity numeric(20,9) not null default 0,
    avg_fill_price numeric(20,9),
    reason text,
    submitted_at timestamptz not null,
    filled_at timestamptz,
    end_acknowledged_at timestamptz,
    revision integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    cancelled_for text collate "C",
    cancel_asked_by text,
    cancelled_for_at timestamptz,
    ended_at timestamptz,
    expires_at timestamptz,
    known_at timestamptz not null default now(),
    sent_at timestamptz,
    acknowledged_at timestamptz,
    -- Instant since which the order has these prices, by the broker's clock.
    changed_at timestamptz,
    -- Instant since which the broker has not shown it, by the database's clock; null once it does. For an ended
    -- order: only this service ended it.
    unconfirmed_since timestamptz,
    constraint orders_at_broker check (role = 'manual' or broker_order_id is not null),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade,
    unique (account_id, broker_order_id),
    unique (user_id, id)
  )`,
  `create index orders_newest on orders (user_id, created_at desc, id desc)`,
  `create index orders_signal on orders (signal_id)`,
  `create index orders_end_unacknowledged on orders (account_id) where end_acknowledged_at is null`,
  `create index orders_filled on orders (account_id, symbol, filled_at desc) where filled_at is not null`,
  `create index orders_changed on orders (user_id, updated_at, id)`,
  `create index orders_account_id_newest on orders (user_id, account_id, created_at desc, id desc)`,
  `create index orders_symbol_newest on orders (user_id, symbol, created_at desc, id desc)`,
  `create index orders_status_newest on orders (user_id, status, created_at desc, id desc)`,
  `create index orders_not_at_broker on orders (account_id, symbol) where broker_order_id is null`,
  `create index orders_manual_newest on orders (user_id, created_at desc, id desc) where role = 'manual'`,
  `create index orders_cancelled_for on orders (account_id, symbol) where cancelled_for is not null`,
  `create index orders_end_due on orders (updated_at)
  where end_acknowledged_at is null and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')`,
  `create index orders_ended on orders (account_id, end_acknowledged_at)
  where status in ('CANCELLED', 'EXPIRED', 'REJECTED') and end_acknowledged_at is not null`,
  ...belongsTo('orders', 'user_id', 'select, insert, update'),
  ...notifiesLive('orders', 'order', {
    unseen: [
      'updated_at',
      'end_acknowledged_at',
      'revision',
      'cancel_asked_by',
      'cancelled_for_at',
      'changed_at',
      'unconfirmed_since',
    ],
  }),

  `create trigger orders_source after insert or update of status on orders
  for each row when (new.signal_id is not null) execute function order_frees_source()`,

  // A change by a person gives the order another id.
  `create table order_broker_ids (
    account_id uuid,
    broker_order_id text collate "C",
    user_id uuid not null,
    order_id uuid not null,
    since timestamptz not null default now(),
    foreign key (user_id, order_id) references orders (user_id, id) on delete cascade,
    primary key (account_id, broker_order_id)
  )`,
  `create index order_broker_ids_order on order_broker_ids (order_id)`,
  `create index order_broker_ids_since on order_broker_ids (account_id, since)`,
  ...belongsTo('order_broker_ids', 'user_id', 'select'),
  // Executions are attached only through this table.
  `create function order_keeps_broker_id() returns trigger language plpgsql as $$
  begin
    insert into order_broker_ids (account_id, broker_order_id, user_id, order_id)
    values (new.account_id, new.broker_order_id, new.user_id, new.id) on conflict do nothing;
    return null;
  end
  $$`,
  `create trigger orders_broker_id after insert or update of broker_order_id on orders
  for each row when (new.broker_order_id is not null) execute function order_keeps_broker_id()`,
]
