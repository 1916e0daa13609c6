import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const SIGNALS: string[] = [
  `create table strategies (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text collate "C" not null,
    description text,
    status text not null default 'active' check (status in ('active', 'paused')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    default_account_id uuid,
    metadata jsonb not null default '{}',
    archived_at timestamptz,
    expects jsonb,
    expects_since timestamptz not null default now(),
    flat_by_close jsonb check (jsonb_typeof(flat_by_close) = 'object'),
    foreign key (user_id, default_account_id) references accounts (user_id, id) on delete set null (default_account_id),
    unique (user_id, id)
  )`,
  `create unique index strategies_name on strategies (user_id, lower(name)) where archived_at is null`,
  `create index strategies_newest on strategies (user_id, created_at desc, id desc)`,
  ...belongsTo('strategies', 'user_id', 'select, insert, update, delete'),

  `create table signals (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    account_id uuid not null,
    strategy_id uuid,
    source_id text collate "C" check ((char_length(source_id) >= 1) and (char_length(source_id) <= 255)),
    payload_hash text not null,
    symbol text collate "C" not null,
    action text not null check (action in ('openLong', 'closeLong', 'openShort', 'closeShort')),
    quantity numeric(20,9) not null check (quantity > 0),
    quantity_type text not null,
    execute_mode text collate "C" not null,
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
    protection jsonb,
    metadata jsonb,
    target jsonb,
    continues uuid,
    -- For a target or a close.
    manages text check (manages in ('own', 'position')),
    origin text collate "C" not null check (origin in ('sender', 'hook', 'person', 'close', 'flatten', 'adopted')),
    -- For an order by hand: its side, whether it only closes, and the owners of the shares.
    ask jsonb,
    group_id uuid,
    advisories jsonb not null default '[]',
    status text collate "C" not null
        check (status in ('pending', 'scheduled', 'queued', 'transmitted', 'executed', 'rejected',
          'cancelled', 'error')),
    status_reason text,
    status_detail text,
    order_id uuid,
    filled_quantity numeric(20,9) not null default 0,
    avg_fill_price numeric(20,9),
    exit_status text collate "C"
        check (exit_status in ('waiting', 'scheduled', 'submitted', 'filled', 'partially_filled', 'cancelled',
          'failed')),
    exit_submit_at timestamptz,
    exit_order_id uuid,
    exit_reason text,
    accepted_at timestamptz not null,
    send_before timestamptz,
    workflow_started_at timestamptz,
    updated_at timestamptz not null default now(),
    sequence bigint generated always as identity,
    entry_ended_at timestamptz,
    decisions jsonb not null default '{}',
    exit_generation integer not null default 0,
    exit_revision integer not null default 0,
    exit_progress jsonb,
    exit_cancelled_by text,
    closings integer not null default 0,
    counted_quantity numeric(20,9) not null default 0,
    exit_due_at timestamptz,
    exit_calendar jsonb,
    blocked_by uuid[],
    sequencing_since timestamptz,
    sequencing_until timestamptz,
    sent_by text,
    decided_by text,
    decided_at timestamptz,
    approval_refused jsonb,
    checked_at timestamptz,
    held_price numeric(20,9),
    token_id uuid,
    may_have_order boolean not null default false,
    queued_at timestamptz default clock_timestamp(),
    notified_at timestamptz,
    check ((ask is not null) = (origin in ('person', 'close', 'flatten'))),
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, strategy_id) references strategies (user_id, id),
    foreign key (user_id, token_id) references access_tokens (user_id, id),
    foreign key (user_id, group_id) references signal_groups (user_id, id),
    unique (user_id, id)
  )`,
  `create unique index signals_source on signals (account_id, source_id)
  where source_id is not null and (status not in ('rejected', 'cancelled', 'error') or may_have_order)`,
  // Shares without an owner have one exit.
  `create unique index signals_adopting on signals (account_id, symbol) where origin = 'adopted' and closings = 0`,
  `create index signals_newest on signals (user_id, accepted_at desc, id desc)`,
  `create index signals_unstarted on signals (accepted_at) where workflow_started_at is null`,
  `create index signals_entry_under_way on signals (account_id, symbol, queued_at, sequence)
  where entry_ended_at is null and status in ('scheduled', 'queued', 'transmitted', 'executed')`,
  `create index signals_crossing on signals (account_id, symbol)
  where target is not null and closings = 0 and status in ('queued', 'transmitted', 'executed')`,
  `create index signals_target_meant on signals (account_id, symbol, ((target ->> 'at') collate "C"))
  where target ->> 'at' is not null`,
  `create index signals_changed on signals (user_id, updated_at, id)`,
  `create index signals_account_newest on signals (account_id, accepted_at desc, id desc) include (user_id)`,
  `create index signals_symbol_newest on signals (user_id, symbol, accepted_at desc, id desc)`,
  `create index signals_status_newest on signals (user_id, status, accepted_at desc, id desc)`,
  `create index signals_strategy_id_newest on signals (user_id, strategy_id, accepted_at desc, id desc)
  where strategy_id is not null`,
  `create index signals_source_id_newest on signals (user_id, source_id, accepted_at desc, id desc)
  where source_id is not null`,
  `create index signals_execute_mode_newest on signals (user_id, execute_mode, accepted_at desc, id desc)
  where execute_mode <> 'immediate'`,
  `create index signals_token_id_newest on signals (user_id, token_id, accepted_at desc, id desc)
  where token_id is not null`,
  `create index signals_waiting_of_token on signals (token_id)
  where token_id is not null and status in ('pending', 'scheduled', 'queued')`,
  `create index signals_group on signals (group_id) where group_id is not null`,
  `create index signals_of_strategy on signals (strategy_id, account_id) where strategy_id is not null`,
  `create index signals_unsent on signals (user_id, account_id, status)
  where status in ('pending', 'scheduled', 'queued', 'transmitted')`,
  `create index signals_waiting on signals (account_id) where status in ('pending', 'scheduled')`,
  `create index signals_open_exits on signals (account_id, symbol)
  where exit_status in ('waiting', 'scheduled')`,
  `create index signals_scheduled_due on signals (scheduled_at) where status = 'scheduled'`,
  `create index signals_expiry_due on signals (valid_until)
  where status = 'pending' and valid_until is not null`,
  `create index signals_entry_due on signals (updated_at) where status in ('queued', 'transmitted')`,
  `create index signals_exit_due on signals (exit_due_at)
  where exit_due_at is not null and exit_status in ('waiting', 'scheduled')`,
  `create index signals_gtd_due on signals (expires_at)
  where expires_at is not null and entry_ended_at is null and status = 'executed'`,
  `create index signals_open on signals (workflow_started_at)
  where status in ('pending', 'scheduled', 'queued', 'transmitted') or ((order_id is not null or origin = 'adopted') and closings = 0)
    or exit_status = 'submitted' or (filled_quantity > counted_quantity and exit_cancelled_by is null and (exit_rule is not null or protection is not null))`,
  `create index signals_sequenced on signals (account_id, symbol)
  where status = 'queued' and blocked_by is not null`,
  `create index signals_soonest_to_expire on signals (user_id, coalesce(valid_until, '9999-12-31 00:00:00+00'::timestamp with time zone), id)
  where status = 'pending'`,
  `create index signals_exits_to_come on signals (user_id, exit_submit_at)
  where exit_status in ('waiting', 'scheduled')`,
  ...belongsTo('signals', 'user_id', 'select, insert, update'),
  // The order is shown to people.
  ...notifiesLive('signals', 'signal', {
    without: 'ask',
    unseen: [
      'updated_at',
      'workflow_started_at',
      'entry_ended_at',
      'exit_calendar',
      'decisions',
      'exit_generation',
      'exit_revision',
      'exit_progress',
      'exit_cancelled_by',
      'closings',
      'counted_quantity',
      'checked_at',
      'may_have_order',
      'queued_at',
      'notified_at',
    ],
  }),
  `create function signal_group_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform notify_live(new.user_id, null, 'group', new.group_id);
    return null;
  end
  $$`,
  `create trigger signals_group_changed after update of status on signals
  for each row when (new.group_id is not null and old.status is distinct from new.status) execute function signal_group_changed()`,
  // A repetition would be a second order while the ended signal's may be open.
  `create function signal_may_have_order(signal uuid) returns boolean language plpgsql as $$
  begin
    return exists (
      select from orders o where o.signal_id = signal and o.status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED'))
    or exists (
      select from send_permits sent where sent.client_order_id = signal || '-e1' and sent.permits > 0
        and (sent.given_up is null or sent.hidden_since is not null)
        and not exists (select from orders o where o.client_order_id = sent.client_order_id));
  end
  $$`,
  `create function signal_keeps_source() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    new.may_have_order := new.status_reason is distinct from 'SUPERSEDED' and signal_may_have_order(new.id);
    return new;
  end
  $$`,
  `create trigger signals_source_kept before update of status on signals
  for each row when (new.status in ('rejected', 'cancelled', 'error')) execute function signal_keeps_source()`,
  `create function order_frees_source() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if exists (select from signals s where s.id = new.signal_id and s.status in ('rejected', 'cancelled', 'error')
        and s.status_reason is distinct from 'SUPERSEDED') then
      update signals set may_have_order = signal_may_have_order(id)
      where id = new.signal_id and may_have_order <> signal_may_have_order(id);
    end if;
    return null;
  -- Another signal took the sourceId before the order was reported.
  exception when unique_violation then return null;
  end
  $$`,
  `create function signals_notify_sequencing() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    if exists (
      select from signals w where w.account_id = new.account_id and w.symbol = new.symbol
        and w.status = 'queued' and w.blocked_by is not null and new.id = any (w.blocked_by))
    then perform pg_notify('sequencing', new.id::text); end if;
    return null;
  end
  $$`,
  `create trigger signals_sequencing after update of status, entry_ended_at, closings on signals
  for each row when ((old.status is distinct from new.status) or (old.entry_ended_at is distinct from new.entry_ended_at)
    or (new.target is not null and old.closings is distinct from new.closings)) execute function signals_notify_sequencing()`,

  `create table signal_events (
    sequence bigint generated always as identity primary key,
    signal_id uuid not null references signals on delete cascade,
    key text collate "C" not null,
    kind text not null,
    at timestamptz not null,
    message text not null,
    data jsonb,
    unique (signal_id, key)
  )`,
  `grant select, insert on signal_events to durable_trader_member`,
  `alter table signal_events enable row level security`,
  `create policy own_rows on signal_events for select to durable_trader_member
    using (exists (select from signals s where s.id = signal_events.signal_id))`,
  `create policy new_rows on signal_events for insert to durable_trader_member with check (true)`,
  `create function signal_event_is_own() returns trigger language plpgsql as $$
  begin
    if not exists (select from signals where id = new.signal_id) then
      raise insufficient_privilege using message = 'the event belongs to a signal of somebody else';
    end if;
    return null;
  end
  $$`,
  `create trigger signal_events_own after insert on signal_events
  for each row when (current_user = 'durable_trader_member'::name) execute function signal_event_is_own()`,

  // A timeout begins with the statement, perhaps after a delay in a socket.
  `create function not_later_than(until float8) returns float8 language plpgsql volatile as $$
  declare
    shown constant float8 := extract(epoch from clock_timestamp()) * 1000;
  begin
    if shown > until then
      raise query_canceled using message = 'the time of the statement was over before it was run';
    end if;
    return shown;
  end
  $$`,

  `create function may_wait(account uuid, most integer) returns boolean language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('waiting ' || account::text, 0));
    return (select count(*) from signals
      where account_id = account and status in ('pending', 'scheduled')) < most;
  end
  $$`,
]
