import { belongsTo } from '../row-policy.ts'

export const NOTIFY: string[] = [
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

  // How far up the rungs the notice of a waiting signal has gone.
  `create table notice_reach (
    signal_id uuid primary key references signals on delete cascade,
    user_id uuid not null references users on delete cascade,
    notified_at timestamptz not null default now(),
    rung integer not null,
    devices integer not null,
    reached integer not null default 0,
    unreached_since timestamptz,
    reminded_at timestamptz
  )`,
  `create index notice_reach_open on notice_reach (notified_at) where reached = 0 and unreached_since is null`,
  `create index notice_reach_unreminded on notice_reach (signal_id) where reminded_at is null`,
  ...belongsTo('notice_reach', 'user_id', 'select'),

  // Without foreign keys trading never waits for a removal; the sender drops orphans. `more`: gathered outcomes.
  `create table outbox (
    id bigint generated always as identity,
    channel_id uuid,
    subject_id uuid,
    kind text not null check (kind in ('waiting', 'settled', 'alert', 'filled', 'closed', 'refused', 'summary', 'paused', 'event', 'check')),
    is_gathered boolean generated always as (kind in ('filled', 'closed', 'refused', 'alert')) stored,
    more integer not null default 0,
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (channel_id, subject_id, is_gathered)
  )`,
  `create index outbox_due on outbox (due_at)`,
  `create unique index outbox_id on outbox (id)`,
  `create index outbox_turn on outbox (channel_id, due_at, id)`,
  `create index outbox_subject on outbox (subject_id)`,
  `create table deliveries (
    id bigint generated always as identity primary key,
    user_id uuid not null references users on delete cascade,
    channel_id uuid not null references channels on delete cascade,
    subject_id uuid not null,
    -- Kind of a notice, or type of an event.
    about text collate "C" not null,
    attempt integer not null,
    at timestamptz not null default now(),
    outcome text not null check (outcome in ('taken', 'failed', 'refused', 'gone', 'expired')),
    reason text
  )`,
  `create index deliveries_newest on deliveries (user_id, id desc)`,
  `create index deliveries_of_channel on deliveries (channel_id, id desc)`,
  `create index deliveries_at on deliveries using brin (at)`,
  ...belongsTo('deliveries', 'user_id', 'select'),
  `create function notify_person(owner uuid, subject uuid, told text, until timestamptz, rungs int4range default '(,)', unnotified uuid[] default '{}')
  returns integer language sql as $$
    with noted as (
      insert into outbox (channel_id, subject_id, kind, due_at, expires_at)
      select p.id, subject, told, quiet_end(told, c), until + (quiet_end(told, c) - now())
      from channels p
      left join notification_choices c on c.user_id = p.user_id
      where p.user_id = owner and p.id <> all (unnotified) and urgency_of(told) = any (p.urgencies) and is_live(p)
        and rung_of(p.kind) <@ rungs and notice_is_wanted(told, c)
      on conflict (channel_id, subject_id, is_gathered) do update
        set id = default, kind = excluded.kind, attempts = 0, due_at = excluded.due_at, expires_at = excluded.expires_at,
          more = case outbox.kind when excluded.kind then outbox.more else 0 end
      returning channel_id
    ) select count(*)::integer from noted
  $$`,
  // Messages of a paused channel wait until it is resumed; its owner's other channels say so.
  `create function channels_paused() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if new.paused_at is null then
      update outbox o set due_at = quiet_end(o.kind, c)
      from users u left join notification_choices c on c.user_id = u.id where o.channel_id = new.id and u.id = new.user_id;
    else
      -- A row that is being settled, in a transaction of trading, is not waited for.
      update outbox set due_at = 'infinity'
      where id in (select id from outbox where channel_id = new.id for update skip locked);
      perform notify_person(new.user_id, new.id, 'paused', now() + interval '24 hours');
    end if;
    return null;
  end
  $$`,
  `create trigger channels_paused after update of paused_at on channels
  for each row when ((old.paused_at is null) is distinct from (new.paused_at is null)) execute function channels_paused()`,
  // The first rung with a channel that takes messages; the last one where none does.
  `create function first_rung(owner uuid) returns integer language sql stable as $$
    select coalesce(min(rung_of(kind)) filter (where refused_since is null), max(rung_of(kind)))
    from channels c where user_id = owner and 'decision' = any (urgencies) and is_live(c)
  $$`,
  // As owner, because users may neither read nor write the outbox.
  `create function signals_notify() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    unnotified uuid[];
    highest integer;
    notified integer;
    is_reminded boolean;
  begin
    if new.status = 'pending' then
      highest := first_rung(new.user_id);
      -- A user without a channel chose to have no notices.
      if highest is null then return null; end if;
      notified := notify_person(new.user_id, new.id, 'waiting', least(new.valid_until, now() + interval '24 hours'),
        int4range(0, highest, '[]'));
      if notified = 0 then return null; end if;
      insert into notice_reach (signal_id, user_id, rung, devices) values (new.id, new.user_id, highest, notified)
      on conflict (signal_id) do update
        set notified_at = now(), rung = excluded.rung, devices = excluded.devices, reached = 0, unreached_since = null, reminded_at = null;
    else
      delete from notice_reach where signal_id = new.id returning reminded_at is not null into is_reminded;
      update alerts set resolved_at = now()
      where kind = 'notice_unreached' and signal_id = new.id and resolved_at is null;
      -- A phone that got no notice of the signal needs none of its end: the reminder is its second. A message cannot be replaced.
      with unsent as (
        delete from outbox where subject_id = new.id and kind = 'waiting' and attempts = 0
        returning channel_id
      ) select coalesce(array_agg(channel_id), '{}') into unnotified from unsent;
      perform notify_person(new.user_id, new.id, 'settled', now() + interval '24 hours', '[0,0]',
        case when is_reminded then '{}' else unnotified end);
    end if;
    return null;
  end
  $$`,
  `create trigger signals_notify_waiting after insert on signals
  for each row when (new.status = 'pending') execute function signals_notify()`,
  `create trigger signals_notify_settled after update of status on signals
  for each row when ((old.status = 'pending') is distinct from (new.status = 'pending')) execute function signals_notify()`,
  // The person who declined a signal knows.
  `create function is_refused(signal signals) returns boolean language sql immutable as $$
    select signal.status in ('rejected', 'error') and signal.status_reason is distinct from 'DECLINED'
      and signal.ask is null
  $$`,
  `create function signals_notify_refused() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if is_refused(new) then perform notify_person(new.user_id, new.id, 'refused', now() + interval '6 hours'); end if;
    return null;
  end
  $$`,
  `create trigger signals_notify_refused after update of status on signals
  for each row when (new.status in ('rejected', 'error') and old.status is distinct from new.status) execute function signals_notify_refused()`,
  // Fills that appear late, as after a restoration, are excluded.
  `create function orders_notify_filled() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if coalesce(new.filled_at, now()) > now() - interval '1 hour' then
      perform notify_person(new.user_id, case new.role when 'manual' then new.id else new.signal_id end, 'filled', now() + interval '6 hours');
    end if;
    return null;
  end
  $$`,
  `create trigger orders_notify_filled after insert on orders
  for each row when (new.status = 'FILLED' and new.role <> 'exit') execute function orders_notify_filled()`,
  `create trigger orders_notify_filled_later after update of status on orders
  for each row when (new.status = 'FILLED' and old.status <> 'FILLED' and new.role <> 'exit') execute function orders_notify_filled()`,
  // Trades are recomputed after a late fill, which is no second closing.
  `create table closings_notified (
    signal_id uuid,
    closed_at timestamptz,
    primary key (signal_id, closed_at)
  )`,
  `create index closings_notified_at on closings_notified (closed_at)`,
  `create function notify_closed(owner uuid, signal uuid) returns void language plpgsql as $$
  begin
    if exists (select from channels p where p.user_id = owner)
      and not exists (select from trades t where t.signal_id = signal and t.status = 'OPEN')
      and exists (select from signals s where s.id = signal and s.entry_ended_at is not null)
    then
      insert into closings_notified (signal_id, closed_at)
      select signal, max(exit_at) from trades where signal_id = signal on conflict do nothing;
      if found then perform notify_person(owner, signal, 'closed', now() + interval '6 hours'); end if;
    end if;
  end
  $$`,
  `create function trades_notify_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if new.exit_at > now() - interval '1 hour' then perform notify_closed(new.user_id, new.signal_id); end if;
    return null;
  end
  $$`,
  // The entry's rest may end after the close; executions may be listed later still.
  `create function signals_notify_closed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if new.filled_quantity <= (select sum(quantity) from trades where signal_id = new.id)
      and not exists (select from orders o where o.signal_id = new.id and o.role = 'entry' and o.ended_at <= now() - interval '1 hour')
    then perform notify_closed(new.user_id, new.id); end if;
    return null;
  end
  $$`,
  `create trigger signals_notify_closed after update of entry_ended_at on signals
  for each row when (old.entry_ended_at is null and new.entry_ended_at is not null and new.filled_quantity > 0)
  execute function signals_notify_closed()`,
  `create trigger trades_notify_closed after insert on trades
  for each row when (new.status = 'CLOSED' and new.signal_id is not null) execute function trades_notify_closed()`,
  `create trigger trades_notify_closed_later after update of status on trades
  for each row when (new.status = 'CLOSED' and old.status <> 'CLOSED' and new.signal_id is not null) execute function trades_notify_closed()`,
  // Dollars after fees; null where nothing is closed.
  `create function signal_result(signal uuid) returns numeric language sql stable as $$
    select sum(realised_pnl) from trades where signal_id = signal and status = 'CLOSED'
  $$`,
  `create function day_summaries_notify() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform notify_person(new.user_id, new.id, 'summary', new.notify_until);
    return null;
  end
  $$`,
  `create trigger day_summaries_notify after insert on day_summaries
  for each row execute function day_summaries_notify()`,
  `create function alerts_notify() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    unnotified uuid[] := '{}';
  begin
    -- Channels for decisions would not get this notice either.
    if new.kind = 'notice_unreached' then
      select coalesce(array_agg(id), '{}') into unnotified from channels where user_id = new.user_id and 'decision' = any (urgencies);
    end if;
    -- A channel that gets a notice of the refused signal needs none of its alert.
    if new.kind = 'ended_unfilled'
      and exists (select from signals s where s.id = new.signal_id and is_refused(s))
      and coalesce((select notice_is_wanted('refused', c) from notification_choices c where c.user_id = new.user_id), true)
    then
      select coalesce(array_agg(id), '{}') into unnotified from channels where user_id = new.user_id and 'outcome' = any (urgencies);
    end if;
    perform notify_person(new.user_id, new.id, 'alert', now() + interval '1 hour', '(,)', unnotified);
    return null;
  end
  $$`,
  `create trigger alerts_notify after insert on alerts
  for each row when (new.resolved_at is null) execute function alerts_notify()`,
]
