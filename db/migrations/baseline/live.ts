import { belongsTo } from '../row-policy.ts'

export const LIVE: string[] = [
  `create table live_events (
    xact xid8 default pg_current_xact_id(),
    id bigint generated always as identity,
    user_id uuid not null,
    account_id uuid,
    topic text not null,
    subject_id uuid not null,
    at timestamptz not null default clock_timestamp(),
    primary key (xact, id)
  )`,
  `create index live_events_user on live_events (user_id, xact)`,
  `create index live_events_at on live_events using brin (at)`,
  ...belongsTo('live_events', 'user_id', 'select'),

  `create table live_events_removed (
    up_to xid8 not null
  )`,
  `create unique index live_events_removed_one_row on live_events_removed ((true))`,
  `insert into live_events_removed (up_to) values ('0')`,

  `create table event_tickets (
    hash text collate "C" primary key,
    user_id uuid not null,
    session_id uuid not null,
    expires_at timestamptz not null,
    foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
  )`,
  `create index event_tickets_session on event_tickets (user_id, session_id)`,
  ...belongsTo('event_tickets', 'user_id', 'select, insert, delete'),

  `create function notify_live(user_id uuid, account_id uuid, topic text, subject_id uuid) returns void language plpgsql as $$
  begin
    insert into live_events (user_id, account_id, topic, subject_id)
    values (user_id, account_id, topic, subject_id);
    if pg_try_advisory_xact_lock(7283003) then perform pg_notify('live_events', ''); end if;
  end
  $$`,
]
