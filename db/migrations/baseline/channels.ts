import { CHANNEL_KINDS, EVENT_KINDS, NOTICE_URGENCY, RUNGS, URGENCIES } from '#domain/alert/channels.ts'
import { belongsTo } from '../row-policy.ts'

const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

export const CHANNELS: string[] = [
  `create table channels (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    kind text collate "C" not null check (kind in (${list(CHANNEL_KINDS)})),
    name text not null check ((char_length(name) >= 1) and (char_length(name) <= 100)),
    -- Where it leads, without its secrets; channels of one are paused together while it fails.
    service text collate "C" not null,
    urgencies text[] not null check (urgencies <@ array[${list(URGENCIES)}]),
    -- Kinds of events, for webhooks.
    events text[] not null default '{}' check (events <@ array[${list(EVENT_KINDS)}] and (kind = 'webhook' or events = '{}')),
    sealed_settings text,
    -- Of a browser.
    session_id uuid,
    endpoint text collate "C" unique check (char_length(endpoint) <= 2000),
    p256dh text,
    auth text,
    key_id text,
    created_at timestamptz not null default now(),
    last_delivered_at timestamptz,
    -- Consecutive failures, their first instant, and the instant of the next attempt.
    failures integer not null default 0,
    failing_since timestamptz,
    retry_at timestamptz,
    refused_since timestamptz,
    refusal text,
    -- Until then outcomes, and alarms, are gathered, and sent as one.
    quiet_until timestamptz,
    alarms_quiet_until timestamptz,
    -- Sends nothing until its owner resumes it.
    paused_at timestamptz,
    pause_reason text,
    checked_at timestamptz not null default now(),
    check ((kind = 'push') = (num_nonnulls(session_id, endpoint, p256dh, auth, key_id) = 5)),
    check ((kind = 'push') = (sealed_settings is null)),
    check ((paused_at is null) = (pause_reason is null)),
    foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
  )`,
  `create index channels_user on channels (user_id, created_at desc, id desc)`,
  `create index channels_webhooks on channels (user_id) where kind = 'webhook'`,
  `create index channels_session on channels (user_id, session_id)`,
  ...belongsTo('channels', 'user_id', 'select, insert, update, delete'),
  // The browser belongs to its last subscriber, who may not see the earlier row.
  `create function channels_take_over() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    delete from channels where endpoint = new.endpoint and user_id <> new.user_id;
    return new;
  end
  $$`,
  `create trigger channels_taken_over before insert on channels
  for each row when (new.endpoint is not null) execute function channels_take_over()`,

  `create table notification_choices (
    user_id uuid primary key references users on delete cascade,
    waiting_signals boolean not null default true,
    alerts boolean not null default true,
    filled boolean not null default false,
    closed boolean not null default false,
    refused boolean not null default true,
    day_summary boolean not null default false,
    show_figures boolean not null default false,
    -- Local times between which outcomes and the day's letter wait.
    quiet_from time,
    quiet_until time,
    quiet_zone text,
    updated_at timestamptz not null default now(),
    check (num_nonnulls(quiet_from, quiet_until, quiet_zone) in (0, 3) and quiet_from <> quiet_until)
  )`,
  ...belongsTo('notification_choices', 'user_id', 'select, insert, update'),
  `create function notice_is_wanted(told text, chosen notification_choices) returns boolean language sql immutable as $$
    select case told
      when 'alert' then coalesce(chosen.alerts, true)
      when 'filled' then coalesce(chosen.filled, false)
      when 'closed' then coalesce(chosen.closed, false)
      when 'refused' then coalesce(chosen.refused, true)
      when 'summary' then coalesce(chosen.day_summary, false)
      when 'event' then true when 'check' then true when 'paused' then true
      else coalesce(chosen.waiting_signals, true)
    end
  $$`,
  `create function urgency_of(told text) returns text language sql immutable as $$
    select case told ${Object.entries(NOTICE_URGENCY)
      .map(([kind, urgency]) => `when '${kind}' then '${urgency}'`)
      .join(' ')} end
  $$`,
  // When a notice may be sent: now, or at the end of the quiet hours.
  `create function quiet_end(told text, chosen notification_choices) returns timestamptz language plpgsql stable as $$
  begin
    if chosen.quiet_from is null or urgency_of(told) is null or urgency_of(told) not in ('outcome', 'letter') then return now(); end if;
    return coalesce((
        select max(until) from (
          select day + chosen.quiet_from as since,
            day + chosen.quiet_until + case when chosen.quiet_until < chosen.quiet_from then interval '1 day' else '0' end as until
          from (values ((now() at time zone chosen.quiet_zone)::date), ((now() at time zone chosen.quiet_zone)::date - 1)) days (day)
        ) hours
        where since <= now() at time zone chosen.quiet_zone and until > now() at time zone chosen.quiet_zone
      ) at time zone chosen.quiet_zone, now());
  -- A zone that this server does not know fails no trade.
  exception when invalid_parameter_value then return now();
  end
  $$`,
  `create function rung_of(kind text) returns integer language sql immutable as $$
    select case ${RUNGS.map((kinds, rung) => `when kind in (${list(kinds)}) then ${rung}`).join(' ')} end
  $$`,
  `create function is_live(c channels) returns boolean language sql stable as $$
    select c.paused_at is null and (c.session_id is null or exists (select from sessions s
      where s.id = c.session_id and s.ended_at is null and s.expires_at > now()))
  $$`,
]
