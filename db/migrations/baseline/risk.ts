import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const RISK: string[] = [
  `create table trading_halts (
    id bigint generated always as identity primary key,
    scope text collate "C" not null check (scope in ('global', 'operator', 'user', 'account')),
    user_id uuid references users on delete cascade,
    account_id uuid,
    level text not null check (level in ('pauseEntries', 'reduceOnly', 'fullStop')),
    reason text,
    set_by text not null,
    set_at timestamptz not null default now(),
    lifted_by text,
    lifted_at timestamptz,
    check ((scope = 'global') = (user_id is null)),
    constraint trading_halts_check1 check ((scope = 'account') = (account_id is not null)),
    constraint trading_halts_check2 check ((lifted_by is null) = (lifted_at is null)),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
  )`,
  `create unique index trading_halts_active on trading_halts (coalesce(account_id, user_id, '00000000-0000-0000-0000-000000000000'), (scope = 'operator'))
  where lifted_at is null`,
  `create index trading_halts_history on trading_halts (user_id, id desc)`,
  `grant select, insert, update on trading_halts to durable_trader_member`,
  `alter table trading_halts enable row level security`,
  `create policy own_rows on trading_halts to durable_trader_member
    using (user_id = (select acting_user()) and scope <> 'operator')
    with check (user_id = (select acting_user()) and scope <> 'operator')`,
  `create policy operator_rows on trading_halts for select to durable_trader_member
    using (user_id = (select acting_user()) and scope = 'operator')`,
  `create policy global_rows on trading_halts for select to durable_trader_member using (user_id is null)`,
  `create function trading_halts_notify_live() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform notify_live(u.id, new.account_id, 'halt', lpad(to_hex(new.id), 32, '0')::uuid)
    from users u where u.id = new.user_id or new.user_id is null;
    return null;
  end
  $$`,
  `create trigger trading_halts_live after insert or update on trading_halts
  for each row execute function trading_halts_notify_live()`,

  `create table risk_settings (
    account_id uuid primary key,
    user_id uuid not null,
    limits jsonb not null,
    updated_at timestamptz not null default now(),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
  )`,
  ...belongsTo('risk_settings', 'user_id', 'select, insert, update, delete'),

  // permits: permitted attempts, the last at permitted_at, the previous at permitted_before. given_up: why no more.
  `create table send_permits (
    client_order_id text collate "C" primary key,
    account_id uuid not null,
    reducing boolean not null,
    registered_at timestamptz not null,
    permits integer not null check (permits >= 0),
    permitted_at timestamptz,
    permitted_before timestamptz,
    hidden_since timestamptz,
    given_up jsonb
  ) with (fillfactor = 80)`,
  `create index send_permits_age on send_permits (registered_at)`,

  `create unlogged table order_rates (
    account_id uuid,
    reducing boolean,
    minute timestamptz not null,
    minute_count integer not null,
    minute_cap integer not null,
    day date not null,
    day_count integer not null,
    day_cap integer not null,
    constraint order_rates_minute check (minute_count <= minute_cap),
    constraint order_rates_day check (day_count <= day_cap),
    primary key (account_id, reducing)
  ) with (fillfactor = 50)`,
  `grant select on order_rates to durable_trader_member`,
  `alter table order_rates enable row level security`,
  `create policy own_rows on order_rates for select to durable_trader_member
    using (exists (select from accounts a where a.id = order_rates.account_id))`,

  `create table alerts (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users on delete cascade,
    account_id uuid,
    signal_id uuid,
    token_id uuid,
    strategy_id uuid,
    kind text collate "C" not null
        check (kind in ('unprotected_position', 'fill_after_end', 'order_unknown_at_broker',
          'replaced_order_working', 'fill_amended', 'action_overdue', 'account_sync_overdue',
          'snapshot_overdue', 'feed_overdue', 'comparison_failing', 'position_differs', 'credentials',
          'untrusted_message', 'set_back', 'execution_unreadable', 'order_changed_by_broker', 'clock_differs',
          'stream_refused', 'ended_unfilled', 'exit_unfilled', 'not_flat', 'sold_elsewhere', 'source_id_reused',
          'signals_refused', 'sender_position_differs', 'hook_first_request', 'hook_secret_elsewhere', 'sender_silent', 'protection_blind',
          'trading_blocked', 'notice_unreached')),
    message text not null,
    data jsonb not null default '{}',
    raised_at timestamptz not null default now(),
    acknowledged_by text,
    acknowledged_at timestamptz,
    resolved_at timestamptz,
    symbol text collate "C",
    healthy_since timestamptz,
    -- When people were notified of it last.
    notified_at timestamptz not null default now(),
    check (symbol is null or signal_id is null),
    check (num_nonnulls(account_id, token_id, strategy_id) = 1),
    check ((acknowledged_at is null) = (acknowledged_by is null)),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade,
    foreign key (user_id, token_id) references access_tokens (user_id, id) on delete cascade,
    foreign key (user_id, strategy_id) references strategies (user_id, id) on delete cascade
  )`,
  `create index alerts_of_token on alerts (token_id) where token_id is not null`,
  `create index alerts_of_strategy on alerts (strategy_id) where strategy_id is not null`,
  `create index alerts_open_of_account on alerts (account_id) where resolved_at is null`,
  `create index alerts_newest on alerts (user_id, raised_at desc, id desc)`,
  `create index alerts_open_newest on alerts (user_id, raised_at desc, id desc) where resolved_at is null`,
  `create index alerts_account_newest on alerts (user_id, account_id, raised_at desc, id desc)`,
  `create index alerts_kind_newest on alerts (user_id, kind, raised_at desc, id desc)`,
  `create index alerts_of_signal on alerts (user_id, signal_id) where signal_id is not null`,
  `create unique index alerts_open on alerts (kind, coalesce(signal_id, account_id, token_id, strategy_id), coalesce(symbol, ''),
    (coalesce(data ->> 'exitReason', '')) collate "C")
  where resolved_at is null`,
  ...belongsTo('alerts', 'user_id', 'select, insert, update'),
  ...notifiesLive('alerts', 'alert', { unseen: ['healthy_since', 'notified_at'] }),
]
