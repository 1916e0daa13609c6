import { belongsTo } from '../row-policy.ts'

export const IDENTITY: string[] = [
  `create table users (
    id uuid primary key,
    email text collate "C" not null,
    role text not null check (role in ('admin', 'member')),
    plan text not null check (plan in ('FREE', 'BASIC', 'ADVANCED', 'PRO')),
    password_hash text,
    trading_mode text not null default 'PAPER' check (trading_mode in ('PAPER', 'LIVE')),
    disabled_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create unique index users_email on users (lower(email))`,
  `create index users_oldest on users (created_at, id)`,
  ...belongsTo('users', 'id', 'select, update (password_hash, trading_mode, updated_at)'),
  `create function users_notify_live() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform notify_live(new.id, null, 'user', new.id);
    return null;
  end
  $$`,
  `create trigger users_live after update on users
  for each row when ((old.trading_mode is distinct from new.trading_mode) or (old.role is distinct from new.role) or (old.plan is distinct from new.plan)) execute function users_notify_live()`,

  `create table sessions (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    kind text not null check (kind in ('web', 'desktop')),
    name text not null,
    ip text not null,
    verified_at timestamptz not null default now(),
    second_factor_at timestamptz,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    end_reason text,
    unique (user_id, id)
  )`,
  `create index sessions_live on sessions (user_id) where ended_at is null`,
  ...belongsTo('sessions', 'user_id', 'select, insert, update'),

  `create table access_tokens (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    label text not null,
    hash text collate "C" unique,
    prefix text not null,
    scopes text[] not null,
    expires_at timestamptz default (now() + interval '366 days'),
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null default now(),
    kind text not null default 'access' check (kind in ('access', 'legacy', 'desktop', 'hook')),
    session_id uuid,
    withdrawn_by text collate "C",
    bounds jsonb not null default '{}' check (jsonb_typeof(bounds) = 'object'),
    last_refusal jsonb,
    refused_since timestamptz,
    merges_repeats boolean not null default false,
    constraint access_tokens_withdrawn check (withdrawn_by is null or revoked_at is not null),
    check ((kind = 'desktop') = (session_id is not null)),
    check ((kind = 'hook') = (hash is null)),
    check (kind = 'hook' or expires_at is not null),
    unique (user_id, id),
    foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
  )`,
  `create index access_tokens_user on access_tokens (user_id)`,
  `create index access_tokens_withdrawn_by on access_tokens (id) where withdrawn_by is not null`,
  `create index access_tokens_session on access_tokens (session_id) where session_id is not null`,
  ...belongsTo('access_tokens', 'user_id', 'select, insert, update'),

  `create table refresh_tokens (
    hash text collate "C" primary key,
    user_id uuid not null,
    session_id uuid not null,
    parent_hash text,
    key_hash text,
    used_at timestamptz,
    successor_salt text,
    created_at timestamptz not null default now(),
    foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
  )`,
  `create index refresh_tokens_session on refresh_tokens (session_id)`,
  ...belongsTo('refresh_tokens', 'user_id', 'select, insert, update'),

  `create table totp_factors (
    user_id uuid primary key references users on delete cascade,
    sealed_secret text not null,
    confirmed_at timestamptz,
    last_step bigint not null default 0,
    created_at timestamptz not null default now()
  )`,
  ...belongsTo('totp_factors', 'user_id', 'select, insert, update, delete'),

  `create table backup_codes (
    user_id uuid references users on delete cascade,
    hash text collate "C",
    used_at timestamptz,
    primary key (user_id, hash)
  )`,
  ...belongsTo('backup_codes', 'user_id', 'select, insert, update, delete'),

  `create table one_time_secrets (
    hash text collate "C" primary key,
    user_id uuid not null references users on delete cascade,
    purpose text collate "C" not null check (purpose in ('password_reset', 'second_factor')),
    used_at timestamptz,
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  )`,
  `create index one_time_secrets_user on one_time_secrets (user_id, purpose)`,
  `create index one_time_secrets_expiry on one_time_secrets (expires_at)`,
  ...belongsTo('one_time_secrets', 'user_id', 'select, insert, update, delete'),

  `create table pending_registrations (
    hash text collate "C" primary key,
    email text not null,
    password_hash text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  )`,
  `create index pending_registrations_expiry on pending_registrations (expires_at)`,

  `create table device_grants (
    device_hash text collate "C" primary key,
    user_code text collate "C" not null unique,
    device_name text not null,
    ip text not null,
    status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'redeemed')),
    user_id uuid references users on delete cascade,
    poll_seconds integer not null default 5,
    last_polled_at timestamptz,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    check ((status = 'pending') = (user_id is null))
  )`,
  `create index device_grants_expiry on device_grants (expires_at)`,
  `grant select, update on device_grants to durable_trader_member`,
  `alter table device_grants enable row level security`,
  `create policy own_rows on device_grants to durable_trader_member
    using (user_id is null or (user_id = (select acting_user()))) with check (user_id = (select acting_user()))`,

  `create table audit_events (
    sequence bigint generated always as identity primary key,
    user_id uuid,
    actor_id uuid,
    kind text not null,
    at timestamptz not null default now(),
    credential text,
    ip text,
    request_id text,
    data jsonb not null default '{}'
  )`,
  `create index audit_events_newest on audit_events (user_id, sequence desc)`,
  ...belongsTo('audit_events', 'user_id', 'select, insert'),
  `create function audit_events_are_final() returns trigger language plpgsql as $$
  begin raise exception 'the audit log is only added to'; end
  $$`,
  `create trigger audit_events_final before delete or update or truncate on audit_events
  for each statement execute function audit_events_are_final()`,

  `create table sign_in_counts (
    key varchar(255) collate "C" primary key,
    points integer not null default 0,
    expire bigint
  )`,

  `create unlogged table request_counts (
    key varchar(255) collate "C" primary key,
    points integer not null default 0,
    expire bigint,
    -- The last column, because rate-limiter-flexible does not name its columns.
    reserved integer not null default 0
  )`,
]
