import { belongsTo } from '../row-policy.ts'

export const PUSH: string[] = [
  `create table push_subscriptions (
    id uuid primary key,
    user_id uuid not null,
    session_id uuid not null,
    endpoint text collate "C" not null unique check (char_length(endpoint) <= 2000),
    p256dh text not null,
    auth text not null,
    key_id text not null,
    device text not null check ((char_length(device) >= 1) and (char_length(device) <= 100)),
    created_at timestamptz not null default now(),
    last_delivered_at timestamptz,
    -- Consecutive messages that its push service refused, and the instant of the next attempt.
    failures integer not null default 0,
    retry_at timestamptz,
    refused_since timestamptz,
    refusal text,
    -- Until then outcomes are gathered, and sent as one.
    quiet_until timestamptz,
    foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
  )`,
  `create index push_subscriptions_user on push_subscriptions (user_id, created_at desc, id desc)`,
  `create index push_subscriptions_session on push_subscriptions (user_id, session_id)`,
  ...belongsTo('push_subscriptions', 'user_id', 'select, insert, update, delete'),
  // The browser belongs to its last subscriber, who may not see the earlier row.
  `create function push_subscriptions_take_over() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    delete from push_subscriptions where endpoint = new.endpoint and user_id <> new.user_id;
    return new;
  end
  $$`,
  `create trigger push_subscriptions_taken_over before insert on push_subscriptions
  for each row execute function push_subscriptions_take_over()`,

  `create table notification_choices (
    user_id uuid primary key references users on delete cascade,
    waiting_signals boolean not null default true,
    alerts boolean not null default true,
    filled boolean not null default false,
    closed boolean not null default false,
    refused boolean not null default true,
    day_summary boolean not null default false,
    show_figures boolean not null default false,
    updated_at timestamptz not null default now()
  )`,
  ...belongsTo('notification_choices', 'user_id', 'select, insert, update'),
  `create function push_is_wanted(told text, chosen notification_choices) returns boolean language sql immutable as $$
    select case told
      when 'alert' then coalesce(chosen.alerts, true)
      when 'filled' then coalesce(chosen.filled, false)
      when 'closed' then coalesce(chosen.closed, false)
      when 'refused' then coalesce(chosen.refused, true)
      when 'summary' then coalesce(chosen.day_summary, false)
      else coalesce(chosen.waiting_signals, true)
    end
  $$`,

  `create table day_summaries (
    user_id uuid references users on delete cascade,
    day date,
    id uuid not null unique default gen_random_uuid(),
    figures jsonb not null,
    -- Opening of the next session: no notice of the day is sent later.
    notify_until timestamptz not null,
    primary key (user_id, day)
  )`,
  ...belongsTo('day_summaries', 'user_id', 'select'),

  `create table push_reach (
    signal_id uuid primary key references signals on delete cascade,
    user_id uuid not null references users on delete cascade,
    notified_at timestamptz not null default now(),
    devices integer not null,
    reached integer not null default 0,
    unreached_since timestamptz
  )`,
  `create index push_reach_open on push_reach (notified_at) where reached = 0 and unreached_since is null`,
  ...belongsTo('push_reach', 'user_id', 'select'),

  // Without foreign keys trading never waits for a removal; the sender drops orphans. `more`: gathered outcomes.
  `create table push_outbox (
    id bigint generated always as identity,
    subscription_id uuid,
    subject_id uuid,
    kind text not null check (kind in ('waiting', 'settled', 'alert', 'filled', 'closed', 'refused', 'summary')),
    is_outcome boolean generated always as (kind in ('filled', 'closed', 'refused')) stored,
    more integer not null default 0,
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (subscription_id, subject_id, is_outcome)
  )`,
  `create index push_outbox_due on push_outbox (due_at)`,
  `create unique index push_outbox_id on push_outbox (id)`,
  `create index push_outbox_turn on push_outbox (subscription_id, due_at)`,
  `create index push_outbox_subject on push_outbox (subject_id)`,
  `create function push_later(owner uuid, subject uuid, told text, until timestamptz, unnotified uuid[] default '{}') returns void language sql as $$
    insert into push_outbox (subscription_id, subject_id, kind, expires_at)
    select p.id, subject, told, until
    from push_subscriptions p
    join sessions s on s.id = p.session_id and s.ended_at is null and s.expires_at > now()
    left join notification_choices c on c.user_id = p.user_id
    where p.user_id = owner and p.id <> all (unnotified)
      and push_is_wanted(told, c)
      -- An outage raises an alert for every due signal: a phone gets only the first ones.
      and (told <> 'alert' or (select count(*) from push_outbox o where o.subscription_id = p.id and o.kind = 'alert') < 10)
    on conflict (subscription_id, subject_id, is_outcome) do update
      set id = default, kind = excluded.kind, attempts = 0, due_at = excluded.due_at, expires_at = excluded.expires_at
  $$`,
  // As owner, because users may neither read nor write the outbox.
  `create function signals_push() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    unnotified uuid[];
  begin
    if new.status = 'pending' then
      perform push_later(new.user_id, new.id, 'waiting', least(new.valid_until, now() + interval '24 hours'));
      -- A user without a browser chose to have no notices.
      insert into push_reach (signal_id, user_id, devices)
      select new.id, new.user_id, count(*) from push_outbox where subject_id = new.id and kind = 'waiting' having count(*) > 0
      on conflict (signal_id) do update set notified_at = now(), devices = excluded.devices, reached = 0, unreached_since = null;
    else
      delete from push_reach where signal_id = new.id;
      update alerts set resolved_at = now()
      where kind = 'notice_unreached' and signal_id = new.id and resolved_at is null;
      -- A phone that got no notice of the signal needs none of its end.
      with unsent as (
        delete from push_outbox where subject_id = new.id and kind = 'waiting' and attempts = 0
        returning subscription_id
      ) select coalesce(array_agg(subscription_id), '{}') into unnotified from unsent;
      perform push_later(new.user_id, new.id, 'settled', now() + interval '24 hours', unnotified);
    end if;
    return null;
  end
  $$`,
  `create trigger signals_push_waiting after insert on signals
  for each row when (new.status = 'pending') execute function signals_push()`,
  `create trigger signals_push_settled after update of status on signals
  for each row when ((old.status = 'pending') is distinct from (new.status = 'pending')) execute function signals_push()`,
  // The person who declined a signal knows.
  `create function is_refused(signal signals) returns boolean language sql immutable as $$
    select signal.status in ('rejected', 'error') and signal.status_reason is distinct from 'DECLINED'
      and signal.ask is null
  $$`,
  `create function signals_push_refused() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if is_refused(new) then perform push_later(new.user_id, new.id, 'refused', now() + interval '6 hours'); end if;
    return null;
  end
  $$`,
  `create trigger signals_push_refused after update of status on signals
  for each row when (new.status in ('rejected', 'error') and old.status is distinct from new.status) execute function signals_push_refused()`,
  // Fills that appear late, as after a restoration, are excluded.
  `create function orders_push_filled() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if coalesce(new.filled_at, now()) > now() - interval '1 hour' then
      perform push_later(new.user_id, case new.role when 'manual' then new.id else new.signal_id end, 'filled', now() + interval '6 hours');
    end if;
    return null;
  end
  $$`,
  `create trigger orders_push_filled after insert on orders
  for each row when (new.status = 'FILLED' and new.role <> 'exit') execute function orders_push_filled()`,
  `create trigger orders_push_filled_later after update of status on orders
  for each row when (new.status = 'FILLED' and old.status <> 'FILLED' and new.role <> 'exit') execute function orders_push_filled()`,
  // Trades are recomputed after a late fill, which is no second closing.
  `create table closings_notified (
    signal_id uuid,
    closed_at timestamptz,
    primary key (signal_id, closed_at)
  )`,
  `create index closings_notified_at on closings_notified (closed_at)`,
  `create function push_closed(owner uuid, signal uuid) returns void language plpgsql as $$
  begin
    if exists (select from push_subscriptions p where p.user_id = owner)
      and not exists (select from trades t where t.signal_id = signal and t.status = 'OPEN')
      and exists (select from signals s where s.id = signal and s.entry_ended_at is not null)
    then
      insert into closings_notified (signal_id, closed_at)
      select signal, max(exit_at) from trades where signal_id = signal on conflict do nothing;
      if found then perform push_later(owner, signal, 'closed', now() + interval '6 hours'); end if;
    end if;
  end
  $$`,
  `create function trades_push_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if new.exit_at > now() - interval '1 hour' then perform push_closed(new.user_id, new.signal_id); end if;
    return null;
  end
  $$`,
  // The entry's rest may end after the close; executions may be listed later still.
  `create function signals_push_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if new.filled_quantity <= (select sum(quantity) from trades where signal_id = new.id)
      and not exists (select from orders o where o.signal_id = new.id and o.role = 'entry' and o.ended_at <= now() - interval '1 hour')
    then perform push_closed(new.user_id, new.id); end if;
    return null;
  end
  $$`,
  `create trigger signals_push_closed after update of entry_ended_at on signals
  for each row when (old.entry_ended_at is null and new.entry_ended_at is not null and new.filled_quantity > 0)
  execute function signals_push_closed()`,
  `create trigger trades_push_closed after insert on trades
  for each row when (new.status = 'CLOSED' and new.signal_id is not null) execute function trades_push_closed()`,
  `create trigger trades_push_closed_later after update of status on trades
  for each row when (new.status = 'CLOSED' and old.status <> 'CLOSED' and new.signal_id is not null) execute function trades_push_closed()`,
  // Dollars after fees; null where nothing is closed.
  `create function signal_result(signal uuid) returns numeric language sql stable as $$
    select sum(realised_pnl) from trades where signal_id = signal and status = 'CLOSED'
  $$`,
  `create function day_summaries_push() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform push_later(new.user_id, new.id, 'summary', new.notify_until);
    return null;
  end
  $$`,
  `create trigger day_summaries_push after insert on day_summaries
  for each row execute function day_summaries_push()`,
  `create function alerts_push() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    -- Unreachable devices would not get this notice either.
    if new.kind = 'notice_unreached' then return null; end if;
    -- A user who gets a notice of the refused signal needs none of its alert.
    if new.kind = 'ended_unfilled'
      and exists (select from signals s where s.id = new.signal_id and is_refused(s))
      and coalesce((select push_is_wanted('refused', c) from notification_choices c where c.user_id = new.user_id), true)
    then return null; end if;
    perform push_later(new.user_id, new.id, 'alert', now() + interval '1 hour');
    return null;
  end
  $$`,
  `create trigger alerts_push after insert on alerts
  for each row when (new.resolved_at is null) execute function alerts_push()`,
]
